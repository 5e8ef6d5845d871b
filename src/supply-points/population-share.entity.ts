import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const PopulationShareSchema = defineEntity({
  name: 'PopulationShare',
  tableName: 'population_share',
  properties: {
    batchId: p.uuid().name('batch_id').primary(),
    networkOperator: p.text().name('network_operator').primary(),
    customerAuthorisation: p.boolean().name('customer_authorisation'),
    accepted: p.integer().name('accepted'),
    imported: p.integer().name('imported'),
    errored: p.integer().name('errored'),
    servedAt: p.datetime().name('served_at'),
    windowAt: p.datetime().name('window_at'),
    windowCount: p.integer().name('window_count'),
    earlierAt: p.datetime().name('earlier_at'),
    earlierCount: p.integer().name('earlier_count'),
  },
});

/** The part of a batch at one network operator: its counts, its turn, its rate. */
export class PopulationShare extends PopulationShareSchema.class {}
PopulationShareSchema.setClass(PopulationShare);
