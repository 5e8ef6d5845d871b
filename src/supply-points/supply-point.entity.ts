import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';

const p = defineEntity.properties;

const SupplyPointSchema = defineEntity({
  name: 'SupplyPoint',
  tableName: 'supply_point',
  properties: {
    id: p.uuid().primary(),
    supplyType: p.text(),
    identifier: p.text(),
    facts: p.json<Record<string, string | number>>().nullable(),
    factsSource: p.text().nullable(),
    factsWithAuthorisation: p.boolean().default(false),
    populatedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
  },
});

/** The master record of a supply point (PRM or PCE), one for all accounts. */
export class SupplyPoint extends SupplyPointSchema.class {}
SupplyPointSchema.setClass(SupplyPoint);

/** The table as Kysely knows it. */
export type SupplyPointTable = InferKyselyDB<typeof SupplyPointSchema>;
