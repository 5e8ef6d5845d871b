import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const SupplyPointSchema = defineEntity({
  name: 'SupplyPoint',
  tableName: 'supply_point',
  properties: {
    id: p.uuid().name('id').primary(),
    supplyType: p.text().name('supply_type'),
    identifier: p.text().name('identifier'),
    facts: p.json<Record<string, string | number>>().name('facts').nullable(),
    factsSource: p.text().name('facts_source').nullable(),
    factsWithAuthorisation: p.boolean().name('facts_with_authorisation').default(false),
    populatedAt: p.datetime().name('populated_at').nullable(),
    createdAt: p.datetime().name('created_at'),
  },
});

/** The master record of a supply point (PRM or PCE), one for all accounts. */
export class SupplyPoint extends SupplyPointSchema.class {}
SupplyPointSchema.setClass(SupplyPoint);
