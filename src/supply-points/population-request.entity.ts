import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const PopulationRequestSchema = defineEntity({
  name: 'PopulationRequest',
  tableName: 'population_request',
  properties: {
    batchId: p.uuid().name('batch_id').primary(),
    lookUpId: p.bigint().name('look_up_id').primary(),
    networkOperator: p.text().name('network_operator'),
    state: p.text().name('state'),
    erroredReason: p.text().name('errored_reason').nullable(),
  },
});

/** An identifier that a batch waits for. */
export class PopulationRequest extends PopulationRequestSchema.class {}
PopulationRequestSchema.setClass(PopulationRequest);
