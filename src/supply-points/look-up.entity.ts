import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const LookUpRowSchema = defineEntity({
  name: 'LookUpRow',
  tableName: 'look_up',
  properties: {
    id: p.bigint().primary(),
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
export class LookUpRow extends LookUpRowSchema.class {}
LookUpRowSchema.setClass(LookUpRow);
