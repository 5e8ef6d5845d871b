import { defineEntity, p } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import { KEPT } from '../platform/database/personal-columns.ts';

/** The master record of a supply point (PRM or PCE), one for all accounts. */
export const SupplyPoint = defineEntity({
  name: 'SupplyPoint',
  tableName: 'supply_point',
  properties: {
    id: p.uuid().primary().comment(KEPT),
    supplyType: p.text().comment(KEPT),
    identifier: p.text().comment(KEPT),
    facts: p.json<Record<string, string | number>>().nullable().comment(KEPT),
    factsSource: p.text().nullable().comment(KEPT),
    factsWithAuthorisation: p.boolean().default(false).comment(KEPT),
    populatedAt: p.datetime().nullable().comment(KEPT),
    createdAt: p.datetime().comment(KEPT),
  },
});

export type SupplyPointTable = InferKyselyDB<typeof SupplyPoint>;
