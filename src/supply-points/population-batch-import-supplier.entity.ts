import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const PopulationBatchImportSupplierSchema = defineEntity({
  name: 'PopulationBatchImportSupplier',
  tableName: 'population_batch_import_supplier',
  properties: {
    batchId: p.uuid().name('batch_id').primary(),
    importSupplier: p.text().name('import_supplier').primary(),
  },
});

/** One import supplier that a batch belongs to. */
export class PopulationBatchImportSupplier extends PopulationBatchImportSupplierSchema.class {}
PopulationBatchImportSupplierSchema.setClass(PopulationBatchImportSupplier);
