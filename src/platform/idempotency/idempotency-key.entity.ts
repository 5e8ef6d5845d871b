import { defineEntity, p } from '@mikro-orm/core';
import { KEPT, PERSONAL } from '../../platform/database/personal-columns.ts';

/** An Idempotency-Key of a client, with the claim of the request in progress or with its response. */
export const IdempotencyKey = defineEntity({
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

/** Number and size of the responses of an organization that were stored on a day. */
export const IdempotencyUse = defineEntity({
  name: 'IdempotencyUse',
  tableName: 'idempotency_use',
  properties: {
    organisation: p.text().primary(),
    day: p.date().primary(),
    answers: p.bigint('string'),
    bytes: p.bigint('string'),
  },
});
