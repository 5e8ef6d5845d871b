import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const PopulationPartSchema = defineEntity({
  name: 'PopulationPart',
  tableName: 'population_part',
  properties: {
    batchId: p.uuid().name('batch_id').primary(),
    networkOperator: p.text().name('network_operator').primary(),
    part: p.integer().name('part').primary(),
    identifiers: p.array().name('identifiers'),
    isCancelled: p.boolean().name('is_cancelled'),
  },
});

/** Identifiers of a large batch that are not yet unfolded into look-ups and requests. */
export class PopulationPart extends PopulationPartSchema.class {}
PopulationPartSchema.setClass(PopulationPart);
