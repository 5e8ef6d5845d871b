import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';

const p = defineEntity.properties;

const LookupRowSchema = defineEntity({
  name: 'LookupRow',
  tableName: 'look_up',
  properties: {
    id: p.bigint('string').primary(),
    networkOperator: p.text(),
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

/** One identifier at its network operator, whoever wants it. */
export class LookupRow extends LookupRowSchema.class {}
LookupRowSchema.setClass(LookupRow);

/** The table as Kysely knows it. */
export type LookupTable = InferKyselyDB<typeof LookupRowSchema>;
