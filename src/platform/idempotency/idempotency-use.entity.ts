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

/** How many answers of an organisation were kept on a day, and how long they are. */
export class IdempotencyUse extends IdempotencyUseSchema.class {}
IdempotencyUseSchema.setClass(IdempotencyUse);
