import { defineEntity } from '@mikro-orm/core';
import { KEPT, PERSONAL } from '../../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const IdempotencyKeySchema = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_key',
  properties: {
    organisation: p.text().primary().comment(KEPT),
    keyHash: p.blob().primary().comment(KEPT),
    requestHash: p.blob().comment(KEPT),
    onceId: p.uuid().comment(KEPT),
    claim: p.uuid().nullable().comment(PERSONAL),
    claimedUntil: p.datetime().nullable().comment(PERSONAL),
    importSupplier: p.text().nullable().comment(KEPT),
    externalAccountNumber: p.text().nullable().comment(KEPT),
    status: p.smallint().nullable().comment(PERSONAL),
    headers: p.json<Record<string, string>>().nullable().comment(PERSONAL),
    answer: p.text().nullable().comment(PERSONAL),
    createdAt: p.datetime().comment(KEPT),
  },
});

/** An Idempotency-Key of a client, with the claim of the request in progress or with its response. */
export class IdempotencyKey extends IdempotencyKeySchema.class {}
IdempotencyKeySchema.setClass(IdempotencyKey);
