import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const PopulationPartSchema = defineEntity({
  name: 'PopulationPart',
  tableName: 'population_part',
  properties: {
    batchId: p.uuid().primary(),
    networkOperator: p.text().primary(),
    part: p.integer().primary(),
    identifiers: p.array(),
    isCancelled: p.boolean(),
  },
});

/** Identifiers of a large batch that are not yet unfolded into look-ups and requests. */
export class PopulationPart extends PopulationPartSchema.class {}
PopulationPartSchema.setClass(PopulationPart);
