import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';

const p = defineEntity.properties;

const PartyHealthSchema = defineEntity({
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

/** Health of an outside party as reported by workers. */
export class PartyHealth extends PartyHealthSchema.class {}
PartyHealthSchema.setClass(PartyHealth);

export type PartyHealthTable = InferKyselyDB<typeof PartyHealthSchema>;
