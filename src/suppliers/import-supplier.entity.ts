import { defineEntity } from '@mikro-orm/core';
import type { SupplierStatus } from '../vocabulary/supplier-status.ts';

const p = defineEntity.properties;

/** What operators set for one supplier, as free members; each capability reads those it knows. */
export type SupplierOptions = Readonly<Record<string, unknown>>;

const ImportSupplierSchema = defineEntity({
  name: 'ImportSupplier',
  tableName: 'import_supplier',
  properties: {
    code: p.text().name('code').primary(),
    name: p.text().name('name'),
    status: p.text().name('status').$type<SupplierStatus>(),
    documentRoot: p.text().name('document_root').nullable(),
    options: p.json<SupplierOptions>().name('options'),
    optionsRevision: p.integer().name('options_revision'),
    reason: p.text().name('reason').nullable(),
    createdAt: p.datetime().name('created_at').defaultRaw('now()'),
    updatedAt: p.datetime().name('updated_at').defaultRaw('now()'),
  },
});

/** A supplier whose customers move to the platform; its code stands in every request of its integration. */
export class ImportSupplier extends ImportSupplierSchema.class {}
ImportSupplierSchema.setClass(ImportSupplier);
