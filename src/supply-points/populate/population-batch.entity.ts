import { defineEntity, p } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import type { BatchStatus } from './population-batch.rules.ts';
import type { BatchWarnings } from './populate.rules.ts';

/** A request of operation 14. */
export const PopulationBatch = defineEntity({
  name: 'PopulationBatch',
  tableName: 'population_batch',
  properties: {
    id: p.uuid().primary(),
    organisationId: p.uuid(),
    customerCategory: p.text(),
    customerAuthorisation: p.boolean(),
    status: p.text().$type<BatchStatus>().default('IN_PROGRESS'),
    warnings: p.json<BatchWarnings>(),
    createdAt: p.datetime().defaultRaw('now()'),
    endedAt: p.datetime().nullable(),
  },
});

export type PopulationBatchTable = InferKyselyDB<typeof PopulationBatch>;

/** An import supplier that a batch belongs to. */
export const PopulationBatchImportSupplier = defineEntity({
  name: 'PopulationBatchImportSupplier',
  tableName: 'population_batch_import_supplier',
  properties: { batchId: p.uuid().primary(), importSupplier: p.text().primary() },
});

export type PopulationBatchImportSupplierTable = InferKyselyDB<typeof PopulationBatchImportSupplier>;

/** Identifiers of a large batch that are not yet expanded into lookups and requests. */
export const PopulationChunk = defineEntity({
  name: 'PopulationChunk',
  tableName: 'population_chunk',
  properties: {
    batchId: p.uuid().primary(),
    networkOperator: p.text().$type<NetworkOperatorName>().primary(),
    chunk: p.integer().primary(),
    identifiers: p.array(),
    isCancelled: p.boolean(),
  },
});

export type PopulationChunkTable = InferKyselyDB<typeof PopulationChunk>;

/** The progress of a batch at one network operator: counts, when it was last served, rate. */
export const PopulationOperatorProgress = defineEntity({
  name: 'PopulationOperatorProgress',
  tableName: 'population_operator_progress',
  properties: {
    batchId: p.uuid().primary(),
    networkOperator: p.text().$type<NetworkOperatorName>().primary(),
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

export type PopulationOperatorProgressTable = InferKyselyDB<typeof PopulationOperatorProgress>;

/** An identifier of a batch. */
export const PopulationRequest = defineEntity({
  name: 'PopulationRequest',
  tableName: 'population_request',
  properties: {
    batchId: p.uuid().primary(),
    lookupId: p.bigint('string').primary().name('look_up_id'),
    networkOperator: p.text().$type<NetworkOperatorName>(),
    state: p.text(),
    erroredReason: p.text().nullable(),
  },
});

export type PopulationRequestTable = InferKyselyDB<typeof PopulationRequest>;
