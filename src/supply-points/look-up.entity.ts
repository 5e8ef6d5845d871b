import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const LookUpRowSchema = defineEntity({
  name: 'LookUpRow',
  tableName: 'look_up',
  properties: {
    id: p.bigint().name('id').primary(),
    networkOperator: p.text().name('network_operator'),
    identifier: p.text().name('identifier'),
    customerAuthorisation: p.boolean().name('customer_authorisation'),
    state: p.text().name('state'),
    erroredReason: p.text().name('errored_reason').nullable(),
    takenBy: p.uuid().name('taken_by').nullable(),
    tries: p.integer().name('tries'),
    lastFailure: p.text().name('last_failure').nullable(),
    setAsideAt: p.datetime().name('set_aside_at').nullable(),
    dueAt: p.datetime().name('due_at').nullable(),
    settledAt: p.datetime().name('settled_at').nullable(),
    createdAt: p.datetime().name('created_at'),
  },
});

/** One identifier at its network operator, whoever wants it. */
export class LookUpRow extends LookUpRowSchema.class {}
LookUpRowSchema.setClass(LookUpRow);
