import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const IdempotencyUseSchema = defineEntity({
  name: 'IdempotencyUse',
  tableName: 'idempotency_use',
  properties: {
    organisation: p.text().primary(),
    day: p.date().primary(),
    answers: p.bigint('string'),
    bytes: p.bigint('string'),
  },
});

/** Number and size of the responses of an organization that were stored on a day. */
export class IdempotencyUse extends IdempotencyUseSchema.class {}
IdempotencyUseSchema.setClass(IdempotencyUse);
