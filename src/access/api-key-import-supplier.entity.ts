import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const ApiKeyImportSupplierSchema = defineEntity({
  name: 'ApiKeyImportSupplier',
  tableName: 'api_key_import_supplier',
  properties: {
    apiKeyId: p.uuid().name('api_key_id').primary(),
    importSupplier: p.text().name('import_supplier').primary(),
  },
});

/** One import supplier whose data a key may see and change. */
export class ApiKeyImportSupplier extends ApiKeyImportSupplierSchema.class {}
ApiKeyImportSupplierSchema.setClass(ApiKeyImportSupplier);
