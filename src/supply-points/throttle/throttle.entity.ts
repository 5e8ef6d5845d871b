import { defineEntity, p } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { NetworkOperatorName } from '../../vocabulary/network-operators.ts';

/** The rate limit of the calls to one network operator. */
export const Throttle = defineEntity({
  name: 'Throttle',
  tableName: 'throttle',
  properties: {
    networkOperator: p.text().$type<NetworkOperatorName>().primary(),
    requestsPerSecond: p.decimal(),
    requestsPerHour: p.decimal(),
    reason: p.text().nullable(),
    blockedUntil: p.datetime(),
    answeredAt: p.datetime(),
    updatedAt: p.datetime(),
    lastSlotAt: p.datetime(),
    lastTaker: p.uuid().nullable(),
    lastDoubtMs: p.double(),
  },
});

export type ThrottleTable = InferKyselyDB<typeof Throttle>;
