import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { SwitchStatus } from '../vocabulary/switch-statuses.ts';

const p = defineEntity.properties;

const AccountSupplyPointSchema = defineEntity({
  name: 'AccountSupplyPoint',
  tableName: 'account_supply_point',
  properties: {
    accountId: p.uuid().primary(),
    position: p.integer().primary(),
    addressPosition: p.integer(),
    supplyPointId: p.uuid(),
    supplyStartDate: p.date(),
    billingFrequency: p.integer().nullable(),
    consentData: p.json<Record<string, unknown>>(),
    switchStatus: p.text().$type<SwitchStatus>(),
    switchRound: p.integer(),
    heldSince: p.datetime().nullable(),
    releasedAt: p.datetime().nullable(),
  },
});

/** A supply point of an account, at one of its addresses. */
export class AccountSupplyPoint extends AccountSupplyPointSchema.class {}
AccountSupplyPointSchema.setClass(AccountSupplyPoint);

/** The table as Kysely knows it. */
export type AccountSupplyPointTable = InferKyselyDB<typeof AccountSupplyPointSchema>;
