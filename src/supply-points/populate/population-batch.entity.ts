import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import type { BatchStatus } from './population-batch.rules.ts';
import type { BatchWarnings } from './populate.rules.ts';

const p = defineEntity.properties;

const PopulationBatchSchema = defineEntity({
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

/** A request of operation 14. */
export class PopulationBatch extends PopulationBatchSchema.class {}
PopulationBatchSchema.setClass(PopulationBatch);

export type PopulationBatchTable = InferKyselyDB<typeof PopulationBatchSchema>;

const PopulationBatchImportSupplierSchema = defineEntity({
  name: 'PopulationBatchImportSupplier',
  tableName: 'population_batch_import_supplier',
  properties: { batchId: p.uuid().primary(), importSupplier: p.text().primary() },
});

/** An import supplier that a batch belongs to. */
export class PopulationBatchImportSupplier extends PopulationBatchImportSupplierSchema.class {}
PopulationBatchImportSupplierSchema.setClass(PopulationBatchImportSupplier);

export type PopulationBatchImportSupplierTable = InferKyselyDB<typeof PopulationBatchImportSupplierSchema>;

const PopulationChunkSchema = defineEntity({
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

/** Identifiers of a large batch that are not yet expanded into lookups and requests. */
export class PopulationChunk extends PopulationChunkSchema.class {}
PopulationChunkSchema.setClass(PopulationChunk);

export type PopulationChunkTable = InferKyselyDB<typeof PopulationChunkSchema>;

const PopulationOperatorProgressSchema = defineEntity({
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

/** The progress of a batch at one network operator: counts, when it was last served, rate. */
export class PopulationOperatorProgress extends PopulationOperatorProgressSchema.class {}
PopulationOperatorProgressSchema.setClass(PopulationOperatorProgress);

export type PopulationOperatorProgressTable = InferKyselyDB<typeof PopulationOperatorProgressSchema>;

const PopulationRequestSchema = defineEntity({
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

/** An identifier of a batch. */
export class PopulationRequest extends PopulationRequestSchema.class {}
PopulationRequestSchema.setClass(PopulationRequest);

export type PopulationRequestTable = InferKyselyDB<typeof PopulationRequestSchema>;
