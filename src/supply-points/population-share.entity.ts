import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const PopulationShareSchema = defineEntity({
  name: 'PopulationShare',
  tableName: 'population_share',
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

/** The part of a batch at one network operator: its counts, its turn, its rate. */
export class PopulationShare extends PopulationShareSchema.class {}
PopulationShareSchema.setClass(PopulationShare);
