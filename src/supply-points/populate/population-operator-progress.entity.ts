import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';

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
    servedAt: p.datetime().defaultRaw("'-infinity'"),
    windowAt: p.datetime().defaultRaw('now()'),
    windowCount: p.integer().default(0),
    earlierAt: p.datetime().defaultRaw('now()'),
    earlierCount: p.integer().default(0),
  },
});

/** How far a batch is at one network operator: its counts, its turn, its rate. */
export class PopulationOperatorProgress extends PopulationOperatorProgressSchema.class {}
PopulationOperatorProgressSchema.setClass(PopulationOperatorProgress);

/** The table as Kysely knows it. */
export type PopulationOperatorProgressTable = InferKyselyDB<typeof PopulationOperatorProgressSchema>;
