import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const PopulationBatchImportSupplierSchema = defineEntity({
  name: 'PopulationBatchImportSupplier',
  tableName: 'population_batch_import_supplier',
  properties: { batchId: p.uuid().primary(), importSupplier: p.text().primary() },
});

/** One import supplier that a batch belongs to. */
export class PopulationBatchImportSupplier extends PopulationBatchImportSupplierSchema.class {}
PopulationBatchImportSupplierSchema.setClass(PopulationBatchImportSupplier);
