import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const PopulationRequestSchema = defineEntity({
  name: 'PopulationRequest',
  tableName: 'population_request',
  properties: {
    batchId: p.uuid().primary(),
    lookupId: p.bigint('string').primary().name('look_up_id'),
    networkOperator: p.text(),
    state: p.text(),
    erroredReason: p.text().nullable(),
  },
});

/** An identifier that a batch waits for. */
export class PopulationRequest extends PopulationRequestSchema.class {}
PopulationRequestSchema.setClass(PopulationRequest);
