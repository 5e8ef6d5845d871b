import { defineEntity, p } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { SwitchStatus } from '../vocabulary/switch-statuses.ts';
import { KEPT, PERSONAL } from '../platform/database/personal-columns.ts';

/** Key of the rows below an account: the account, and the row's position in its table. */
const rowOfAccount = { accountId: p.uuid().primary().comment(KEPT), position: p.integer().primary().comment(KEPT) };

/** An account of the platform, created from one import process. */
export const Account = defineEntity({
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
    /** The end of the time in which its wave holds switches. */
    switchNotBefore: p.datetime().nullable().comment(KEPT),
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

export type AccountTable = InferKyselyDB<typeof Account>;

/** An account that was withdrawn. Its number is never issued again. */
export const WithdrawnAccount = defineEntity({
  name: 'WithdrawnAccount',
  tableName: 'withdrawn_account',
  properties: {
    number: p.text().primary().comment(KEPT),
    creationId: p.uuid().comment(KEPT),
    importSupplier: p.text().comment(KEPT),
    externalAccountNumber: p.text().comment(KEPT),
    createdAt: p.datetime().comment(KEPT),
    withdrawnAt: p.datetime().defaultRaw('now()').comment(KEPT),
    withdrawalId: p.uuid().comment(KEPT),
  },
});

/** A person of an account. Phone numbers are stored as sent and in E.164 form. */
export const Customer = defineEntity({
  name: 'Customer',
  tableName: 'customer',
  properties: {
    ...rowOfAccount,
    title: p.text().nullable().comment(PERSONAL),
    givenName: p.text().nullable().comment(PERSONAL),
    familyName: p.text().nullable().comment(PERSONAL),
    email: p.text().nullable().comment(PERSONAL),
    mobile: p.text().nullable().comment(PERSONAL),
    mobileE164: p.text().nullable().comment(PERSONAL),
    landline: p.text().nullable().comment(PERSONAL),
    landlineE164: p.text().nullable().comment(PERSONAL),
    dateOfBirth: p.date().nullable().comment(PERSONAL),
    deceased: p.text().nullable().comment(PERSONAL),
    optedIntoUpdates: p.boolean().nullable().comment(PERSONAL),
    optedIntoSms: p.boolean().nullable().comment(PERSONAL),
    optedIntoOffers: p.boolean().nullable().comment(PERSONAL),
    optedIntoRecommended: p.boolean().nullable().comment(PERSONAL),
  },
});

/** A key and value of the business in an account payload. */
export const AccountBusinessDetail = defineEntity({
  name: 'AccountBusinessDetail',
  tableName: 'account_business_detail',
  properties: { ...rowOfAccount, key: p.text().comment(KEPT), value: p.text().comment(PERSONAL) },
});

export const AccountCampaign = defineEntity({
  name: 'AccountCampaign',
  tableName: 'account_campaign',
  properties: { ...rowOfAccount, slug: p.text().comment(KEPT), campaignNote: p.text().nullable().comment(PERSONAL) },
});

/** A key and value that the supplier attached to an account. */
export const AccountMetadata = defineEntity({
  name: 'AccountMetadata',
  tableName: 'account_metadata',
  properties: {
    ...rowOfAccount,
    key: p.text().comment(KEPT),
    value: p.json<Record<string, unknown>>().comment(PERSONAL),
  },
});

export const SupplyAddress = defineEntity({
  name: 'SupplyAddress',
  tableName: 'supply_address',
  properties: {
    ...rowOfAccount,
    supplyAddress1: p.text().nullable().comment(PERSONAL),
    supplyAddress2: p.text().nullable().comment(PERSONAL),
    supplyAddress3: p.text().nullable().comment(PERSONAL),
    supplyAddress4: p.text().nullable().comment(PERSONAL),
    supplyPostcode: p.text().nullable().comment(KEPT),
    customerAtSupplyAddressFromDate: p.date().comment(KEPT),
  },
});

/** A supply point of an account, at one of its addresses. */
export const AccountSupplyPoint = defineEntity({
  name: 'AccountSupplyPoint',
  tableName: 'account_supply_point',
  properties: {
    ...rowOfAccount,
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

export type AccountSupplyPointTable = InferKyselyDB<typeof AccountSupplyPoint>;

/** A tariff agreed for a supply point; `effective_to` is exclusive. */
export const Agreement = defineEntity({
  name: 'Agreement',
  tableName: 'agreement',
  properties: {
    ...rowOfAccount,
    pointPosition: p.integer().comment(KEPT),
    tariffCode: p.text().comment(KEPT),
    agreedAt: p.datetime().nullable().comment(KEPT),
    effectiveFrom: p.date().comment(KEPT),
    effectiveTo: p.date().nullable().comment(KEPT),
  },
});

export const AgreementAddon = defineEntity({
  name: 'AgreementAddon',
  tableName: 'agreement_addon',
  properties: { ...rowOfAccount, agreementPosition: p.integer().comment(KEPT), band: p.text().comment(KEPT) },
});

/** Frequency and amount of payments. Ends on the day before the next schedule of the same point starts. */
export const PaymentSchedule = defineEntity({
  name: 'PaymentSchedule',
  tableName: 'payment_schedule',
  properties: {
    ...rowOfAccount,
    pointPosition: p.integer().comment(KEPT),
    means: p.text().comment(KEPT),
    frequency: p.text().nullable().comment(KEPT),
    startDate: p.date().comment(KEPT),
    dayOfMonth: p.integer().nullable().comment(KEPT),
    amount: p.decimal('string').nullable().comment(KEPT),
  },
});

export const Ledger = defineEntity({
  name: 'Ledger',
  tableName: 'ledger',
  properties: { ...rowOfAccount, ledgerCode: p.text().comment(KEPT) },
});

export const EnergyCheque = defineEntity({
  name: 'EnergyCheque',
  tableName: 'energy_cheque',
  properties: {
    ...rowOfAccount,
    ledgerPosition: p.integer().comment(KEPT),
    number: p.text().comment(KEPT),
    amount: p.bigint('string').comment(KEPT),
    protectionFrom: p.date().nullable().comment(KEPT),
    protectionTo: p.date().nullable().comment(KEPT),
    validTo: p.date().nullable().comment(KEPT),
    source: p.text().nullable().comment(KEPT),
    status: p.text().nullable().comment(KEPT),
    aspRemittanceRef: p.text().nullable().comment(KEPT),
  },
});

/** A contract that was imported with its account. */
export const AccountContract = defineEntity({
  name: 'AccountContract',
  tableName: 'account_contract',
  properties: {
    ...rowOfAccount,
    identifier: p.text().comment(KEPT),
    validFromDate: p.date().comment(KEPT),
    signedAtDate: p.date().nullable().comment(KEPT),
  },
});

export const AccountContractVersion = defineEntity({
  name: 'AccountContractVersion',
  tableName: 'account_contract_version',
  properties: {
    ...rowOfAccount,
    contractPosition: p.integer().comment(KEPT),
    applicableAtDate: p.date().comment(KEPT),
  },
});

/** A term of a version of an account contract; `content` is the term as sent. */
export const AccountContractTerm = defineEntity({
  name: 'AccountContractTerm',
  tableName: 'account_contract_term',
  properties: {
    ...rowOfAccount,
    versionPosition: p.integer().comment(KEPT),
    termType: p.text().comment(KEPT),
    content: p.json<Record<string, unknown>>().comment(KEPT),
  },
});

/** The tables that a search reads. */
export type AccountTables = InferKyselyDB<
  typeof Account | typeof AccountSupplyPoint | typeof Customer | typeof SupplyAddress
>;
