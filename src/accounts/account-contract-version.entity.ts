import { defineEntity } from '@mikro-orm/core';
import { KEPT } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const AccountContractVersionSchema = defineEntity({
  name: 'AccountContractVersion',
  tableName: 'account_contract_version',
  properties: {
    accountId: p.uuid().primary().comment(KEPT),
    position: p.integer().primary().comment(KEPT),
    contractPosition: p.integer().comment(KEPT),
    applicableAtDate: p.date().comment(KEPT),
  },
});

/** A version of an account contract. */
export class AccountContractVersion extends AccountContractVersionSchema.class {}
AccountContractVersionSchema.setClass(AccountContractVersion);
