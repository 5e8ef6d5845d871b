import { defineEntity, p } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';

/** A time in which the circuit breaker of a worker was open. */
export interface StoredOutage {
  from: string;
  to?: string;
  /** Calls that failed; calls that were not sent are not counted. */
  failed_calls: number;
}

/** Health of an outside party as reported by workers. */
export const PartyHealth = defineEntity({
  name: 'PartyHealth',
  tableName: 'party_health',
  properties: {
    party: p.text().primary(),
    answeredAt: p.datetime().nullable(),
    failedAt: p.datetime().nullable(),
    failure: p.text().nullable(),
    restsUntil: p.datetime().nullable(),
    outages: p.json<StoredOutage[]>().defaultRaw(`'[]'`),
  },
});

/** Calls to an outside party in a minute; kept for a day. */
export const PartyMinute = defineEntity({
  name: 'PartyMinute',
  tableName: 'party_minute',
  properties: { party: p.text().primary(), minute: p.datetime().primary(), answered: p.integer(), failed: p.integer() },
});

export type PartyHealthTable = InferKyselyDB<typeof PartyHealth | typeof PartyMinute>;
