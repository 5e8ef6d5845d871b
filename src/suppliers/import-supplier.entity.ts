import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { SupplierStatus } from '../vocabulary/supplier-status.ts';

/** Options of a supplier, set by operators. Each capability reads the options that it knows. */
export type SupplierOptions = Readonly<Record<string, unknown>>;

/** A supplier whose customers move to the platform. Every request of its integration contains its code. */
export const ImportSupplier = defineEntity({
  name: 'ImportSupplier',
  tableName: 'import_supplier',
  properties: {
    code: p.text().primary(),
    name: p.text(),
    status: p.text().$type<SupplierStatus>(),
    documentRoot: p.text().nullable(),
    options: p.json<SupplierOptions>(),
    optionsRevision: p.integer(),
    reason: p.text().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});
export type ImportSupplier = InferEntity<typeof ImportSupplier>;

export type ImportSupplierTable = InferKyselyDB<typeof ImportSupplier>;
