import { defineEntity, p } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { NetworkOperatorName } from '../../vocabulary/network-operators.ts';

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

export type LookupTable = InferKyselyDB<typeof LookupRow>;

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

export type LookupPageTable = InferKyselyDB<typeof LookupPage>;
