import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';

const p = defineEntity.properties;

const ApiKeyImportSupplierSchema = defineEntity({
  name: 'ApiKeyImportSupplier',
  tableName: 'api_key_import_supplier',
  properties: { apiKeyId: p.uuid().primary(), importSupplier: p.text().primary() },
});

/** An import supplier whose data a key may read and change. */
export class ApiKeyImportSupplier extends ApiKeyImportSupplierSchema.class {}
ApiKeyImportSupplierSchema.setClass(ApiKeyImportSupplier);

export type ApiKeyImportSupplierTable = InferKyselyDB<typeof ApiKeyImportSupplierSchema>;
