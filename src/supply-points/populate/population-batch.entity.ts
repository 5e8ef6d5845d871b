import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { BatchStatus } from './population-batch.rules.ts';

const p = defineEntity.properties;

const PopulationBatchSchema = defineEntity({
  name: 'PopulationBatch',
  tableName: 'population_batch',
  properties: {
    id: p.uuid().primary(),
    organisationId: p.uuid(),
    customerCategory: p.text(),
    customerAuthorisation: p.boolean(),
    status: p.text().$type<BatchStatus>(),
    warnings: p.json<Record<string, unknown>>(),
    createdAt: p.datetime(),
    endedAt: p.datetime().nullable(),
  },
});

/** What one request of operation 14 asked for. */
export class PopulationBatch extends PopulationBatchSchema.class {}
PopulationBatchSchema.setClass(PopulationBatch);

/** The table as Kysely knows it. */
export type PopulationBatchTable = InferKyselyDB<typeof PopulationBatchSchema>;
