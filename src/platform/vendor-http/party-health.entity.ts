import { defineEntity, p } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';

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
  },
});

export type PartyHealthTable = InferKyselyDB<typeof PartyHealth>;
