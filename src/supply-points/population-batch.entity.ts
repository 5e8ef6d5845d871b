import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const PopulationBatchSchema = defineEntity({
  name: 'PopulationBatch',
  tableName: 'population_batch',
  properties: {
    id: p.uuid().name('id').primary(),
    organisationId: p.uuid().name('organisation_id'),
    customerCategory: p.text().name('customer_category'),
    customerAuthorisation: p.boolean().name('customer_authorisation'),
    status: p.text().name('status'),
    warnings: p.json<Record<string, unknown>>().name('warnings'),
    createdAt: p.datetime().name('created_at'),
    endedAt: p.datetime().name('ended_at').nullable(),
  },
});

/** What one request of operation 14 asked for. */
export class PopulationBatch extends PopulationBatchSchema.class {}
PopulationBatchSchema.setClass(PopulationBatch);
