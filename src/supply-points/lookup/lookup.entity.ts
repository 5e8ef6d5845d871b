import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { NetworkOperatorName } from '../../vocabulary/network-operators.ts';

const p = defineEntity.properties;

const LookupRowSchema = defineEntity({
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

/** The lookup of one identifier at its network operator, shared by all batches that name it. */
export class LookupRow extends LookupRowSchema.class {}
LookupRowSchema.setClass(LookupRow);

export type LookupTable = InferKyselyDB<typeof LookupRowSchema>;

const LookupPageSchema = defineEntity({
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

/** A page of lookups in progress. */
export class LookupPage extends LookupPageSchema.class {}
LookupPageSchema.setClass(LookupPage);

export type LookupPageTable = InferKyselyDB<typeof LookupPageSchema>;
