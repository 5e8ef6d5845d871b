import { defineEntity, p } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import { KEPT } from '../platform/database/personal-columns.ts';
import type { NetworkOperatorName } from '../vocabulary/network-operators.ts';
import type { BatchStatus, BatchWarnings } from './populate/population-batch.rules.ts';

/** The master record of a supply point (PRM or PCE), one for all accounts. */
export const SupplyPoint = defineEntity({
  name: 'SupplyPoint',
  tableName: 'supply_point',
  properties: {
    id: p.uuid().primary().comment(KEPT),
    supplyType: p.text().comment(KEPT),
    identifier: p.text().comment(KEPT),
    facts: p.json<Record<string, string | number>>().nullable().comment(KEPT),
    factsSource: p.text().nullable().comment(KEPT),
    factsWithAuthorisation: p.boolean().default(false).comment(KEPT),
    populatedAt: p.datetime().nullable().comment(KEPT),
    createdAt: p.datetime().comment(KEPT),
  },
});

export type SupplyPointTable = InferKyselyDB<typeof SupplyPoint>;

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

/** An import supplier that a batch belongs to. */
export const PopulationBatchImportSupplier = defineEntity({
  name: 'PopulationBatchImportSupplier',
  tableName: 'population_batch_import_supplier',
  properties: { batchId: p.uuid().primary(), importSupplier: p.text().primary() },
});

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

/** The lookup of one identifier at its network operator, shared by all batches that name it. */
export const LookupRow = defineEntity({
  name: 'LookupRow',
  tableName: 'look_up',
  properties: {
    id: p.bigint('string').primary(),
    networkOperator: p.text().$type<NetworkOperatorName>(),
    identifier: p.text(),
    customerAuthorisation: p.boolean(),
    state: p.text(),
    erroredReason: p.text().nullable(),
    takenBy: p.uuid().nullable(),
    tries: p.integer(),
    lastFailure: p.text().nullable(),
    deferredAt: p.datetime().nullable(),
    dueAt: p.datetime().nullable(),
    completedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
  },
});

/** A page of lookups in progress. */
export const LookupPage = defineEntity({
  name: 'LookupPage',
  tableName: 'look_up_page',
  properties: {
    id: p.uuid().primary(),
    networkOperator: p.text().$type<NetworkOperatorName>(),
    lookupIds: p.array().columnType('bigint[]').name('look_up_ids'),
    heldBy: p.uuid(),
    takenAt: p.datetime().defaultRaw('now()'),
  },
});

/** The rate limit of the calls to one network operator. */
export const Throttle = defineEntity({
  name: 'Throttle',
  tableName: 'throttle',
  properties: {
    networkOperator: p.text().$type<NetworkOperatorName>().primary(),
    requestsPerSecond: p.decimal(),
    requestsPerHour: p.decimal(),
    reason: p.text().nullable(),
    blockedUntil: p.datetime(),
    answeredAt: p.datetime(),
    updatedAt: p.datetime(),
    lastSlotAt: p.datetime(),
    lastTaker: p.uuid().nullable(),
    lastDoubtMs: p.double(),
  },
});

/** All tables of this capability. */
export type LookupTables = InferKyselyDB<
  | typeof SupplyPoint
  | typeof PopulationBatch
  | typeof PopulationBatchImportSupplier
  | typeof PopulationChunk
  | typeof PopulationOperatorProgress
  | typeof PopulationRequest
  | typeof LookupRow
  | typeof LookupPage
  | typeof Throttle
>;
