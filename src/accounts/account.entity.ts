import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { SwitchStatus } from '../vocabulary/switch-statuses.ts';
import { KEPT, PERSONAL } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const AccountSchema = defineEntity({
  name: 'Account',
  tableName: 'account',
  properties: {
    id: p.uuid().primary().comment(KEPT),
    number: p.text().comment(KEPT),
    creationId: p.uuid().comment(KEPT),
    importProcessId: p.uuid().comment(KEPT),
    importSupplier: p.text().comment(KEPT),
    externalAccountNumber: p.text().comment(KEPT),
    operationsTeam: p.text().comment(KEPT),
    accountType: p.text().comment(KEPT),
    unknownOccupier: p.boolean().comment(KEPT),
    businessType: p.text().nullable().comment(KEPT),
    siret: p.text().nullable().comment(KEPT),
    businessContractIdentifier: p.text().nullable().comment(KEPT),
    businessContractId: p.uuid().nullable().comment(KEPT),
    billingAddress1: p.text().nullable().comment(PERSONAL),
    billingAddress2: p.text().nullable().comment(PERSONAL),
    billingAddress3: p.text().nullable().comment(PERSONAL),
    billingAddress4: p.text().nullable().comment(PERSONAL),
    billingPostcode: p.text().nullable().comment(PERSONAL),
    salesChannel: p.text().nullable().comment(KEPT),
    salesSubchannel: p.text().nullable().comment(KEPT),
    lastBilledToDate: p.date().nullable().comment(KEPT),
    switchStatus: p.text().$type<SwitchStatus>().comment(KEPT),
    createdAt: p.datetime().comment(KEPT),
  },
});

/** An account of the platform, created from one import process. */
export class Account extends AccountSchema.class {}
AccountSchema.setClass(Account);

/** The table as Kysely knows it. */
export type AccountTable = InferKyselyDB<typeof AccountSchema>;
