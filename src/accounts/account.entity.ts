import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { SwitchStatus } from '../vocabulary/switch-statuses.ts';

const p = defineEntity.properties;

const AccountSchema = defineEntity({
  name: 'Account',
  tableName: 'account',
  properties: {
    id: p.uuid().primary(),
    number: p.text(),
    creationId: p.uuid(),
    importProcessId: p.uuid(),
    importSupplier: p.text(),
    externalAccountNumber: p.text(),
    operationsTeam: p.text(),
    accountType: p.text(),
    unknownOccupier: p.boolean(),
    businessType: p.text().nullable(),
    siret: p.text().nullable(),
    businessContractIdentifier: p.text().nullable(),
    businessContractId: p.uuid().nullable(),
    billingAddress1: p.text().nullable(),
    billingAddress2: p.text().nullable(),
    billingAddress3: p.text().nullable(),
    billingAddress4: p.text().nullable(),
    billingPostcode: p.text().nullable(),
    salesChannel: p.text().nullable(),
    salesSubchannel: p.text().nullable(),
    lastBilledToDate: p.date().nullable(),
    switchStatus: p.text().$type<SwitchStatus>(),
    createdAt: p.datetime(),
  },
});

/** An account of the platform, created from one import process. */
export class Account extends AccountSchema.class {}
AccountSchema.setClass(Account);

/** The table as Kysely knows it. */
export type AccountTable = InferKyselyDB<typeof AccountSchema>;
