import { defineEntity, p } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import { KEPT, PERSONAL } from '../platform/database/personal-columns.ts';

/** A business of an import supplier. `siret` omits the blanks and dots that `siretAsSent` may contain. */
export const Business = defineEntity({
  name: 'Business',
  tableName: 'business',
  properties: {
    id: p.uuid().primary().comment(KEPT),
    serviceBusinessId: p.integer().comment(KEPT),
    importSupplier: p.text().comment(KEPT),
    externalBusinessIdentifier: p.text().comment(KEPT),
    companyName: p.text().comment(PERSONAL),
    businessType: p.text().nullable().comment(KEPT),
    siret: p.text().nullable().comment(KEPT),
    siretAsSent: p.text().nullable().comment(KEPT),
    sentEmpty: p.array().comment(KEPT),
    createdAt: p.datetime().comment(KEPT),
  },
});

export type BusinessTable = InferKyselyDB<typeof Business>;

/** Additional data of a business. */
export const BusinessDetail = defineEntity({
  name: 'BusinessDetail',
  tableName: 'business_detail',
  properties: {
    businessId: p.uuid().primary().comment(KEPT),
    position: p.integer().primary().comment(KEPT),
    key: p.text().comment(KEPT),
    value: p.text().comment(PERSONAL),
  },
});

/** A contract of a business. Accounts refer to it by `identifier`, which is unique per import supplier. */
export const BusinessContract = defineEntity({
  name: 'BusinessContract',
  tableName: 'business_contract',
  properties: {
    id: p.uuid().primary(),
    businessId: p.uuid(),
    importSupplier: p.text(),
    position: p.integer(),
    identifier: p.text(),
    validFromDate: p.date(),
    signedAtDate: p.date().nullable(),
    sentEmpty: p.array(),
    cameWithBusiness: p.boolean(),
    createdAt: p.datetime(),
  },
});

/** A version of a business contract. */
export const ContractVersion = defineEntity({
  name: 'ContractVersion',
  tableName: 'contract_version',
  properties: { businessContractId: p.uuid().primary(), position: p.integer().primary(), applicableAtDate: p.date() },
});

/** A term of a version of a business contract; `content` is the term as sent. */
export const ContractTerm = defineEntity({
  name: 'ContractTerm',
  tableName: 'contract_term',
  properties: {
    businessContractId: p.uuid().primary(),
    versionPosition: p.integer().primary(),
    position: p.integer().primary(),
    termType: p.text(),
    content: p.json<Record<string, unknown>>(),
  },
});
