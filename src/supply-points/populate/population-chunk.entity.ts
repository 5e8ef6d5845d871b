import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';

const p = defineEntity.properties;

const PopulationChunkSchema = defineEntity({
  name: 'PopulationChunk',
  tableName: 'population_chunk',
  properties: {
    batchId: p.uuid().primary(),
    networkOperator: p.text().primary(),
    chunk: p.integer().primary(),
    identifiers: p.array(),
    isCancelled: p.boolean(),
  },
});

/** Identifiers of a large batch that are not yet expanded into lookups and requests. */
export class PopulationChunk extends PopulationChunkSchema.class {}
PopulationChunkSchema.setClass(PopulationChunk);

/** The table as Kysely knows it. */
export type PopulationChunkTable = InferKyselyDB<typeof PopulationChunkSchema>;
