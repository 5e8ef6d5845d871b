import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { SwitchStatus } from '../vocabulary/switch-statuses.ts';
import { KEPT, PERSONAL } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const AccountSupplyPointSchema = defineEntity({
  name: 'AccountSupplyPoint',
  tableName: 'account_supply_point',
  properties: {
    accountId: p.uuid().primary().comment(KEPT),
    position: p.integer().primary().comment(KEPT),
    addressPosition: p.integer().comment(KEPT),
    supplyPointId: p.uuid().comment(KEPT),
    supplyStartDate: p.date().comment(KEPT),
    billingFrequency: p.integer().nullable().comment(KEPT),
    consentData: p.json<Record<string, unknown>>().comment(PERSONAL),
    switchStatus: p.text().$type<SwitchStatus>().comment(KEPT),
    switchRound: p.integer().comment(KEPT),
    heldSince: p.datetime().nullable().comment(KEPT),
    releasedAt: p.datetime().nullable().comment(KEPT),
  },
});

/** A supply point of an account, at one of its addresses. */
export class AccountSupplyPoint extends AccountSupplyPointSchema.class {}
AccountSupplyPointSchema.setClass(AccountSupplyPoint);

/** The table as Kysely knows it. */
export type AccountSupplyPointTable = InferKyselyDB<typeof AccountSupplyPointSchema>;
