import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const PopulationOperatorProgressSchema = defineEntity({
  name: 'PopulationOperatorProgress',
  tableName: 'population_operator_progress',
  properties: {
    batchId: p.uuid().primary(),
    networkOperator: p.text().primary(),
    customerAuthorisation: p.boolean(),
    accepted: p.integer(),
    imported: p.integer(),
    errored: p.integer(),
    servedAt: p.datetime(),
    windowAt: p.datetime(),
    windowCount: p.integer(),
    earlierAt: p.datetime(),
    earlierCount: p.integer(),
  },
});

/** How far a batch is at one network operator: its counts, its turn, its rate. */
export class PopulationOperatorProgress extends PopulationOperatorProgressSchema.class {}
PopulationOperatorProgressSchema.setClass(PopulationOperatorProgress);
