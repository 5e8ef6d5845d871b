import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const IdempotencyKeySchema = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_key',
  properties: {
    organisation: p.text().primary(),
    keyHash: p.blob().primary(),
    requestHash: p.blob(),
    onceId: p.uuid(),
    claim: p.uuid().nullable(),
    claimedUntil: p.datetime().nullable(),
    importSupplier: p.text().nullable(),
    externalAccountNumber: p.text().nullable(),
    status: p.smallint().nullable(),
    headers: p.json<Record<string, string>>().nullable(),
    answer: p.text().nullable(),
    createdAt: p.datetime(),
  },
});

/** A key that a client gave a request, with who works on that, or with its answer. */
export class IdempotencyKey extends IdempotencyKeySchema.class {}
IdempotencyKeySchema.setClass(IdempotencyKey);
