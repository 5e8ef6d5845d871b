import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const AccountSupplyPointSchema = defineEntity({
  name: 'AccountSupplyPoint',
  tableName: 'account_supply_point',
  properties: {
    accountId: p.uuid().name('account_id').primary(),
    position: p.integer().name('position').primary(),
    addressPosition: p.integer().name('address_position'),
    supplyPointId: p.uuid().name('supply_point_id'),
    supplyStartDate: p.date().name('supply_start_date'),
    billingFrequency: p.integer().name('billing_frequency').nullable(),
    consentData: p.json<Record<string, unknown>>().name('consent_data'),
    switchStatus: p.text().name('switch_status'),
    switchRound: p.integer().name('switch_round'),
    heldSince: p.datetime().name('held_since').nullable(),
    releasedAt: p.datetime().name('released_at').nullable(),
  },
});

/** A supply point of an account, at one of its addresses. */
export class AccountSupplyPoint extends AccountSupplyPointSchema.class {}
AccountSupplyPointSchema.setClass(AccountSupplyPoint);
