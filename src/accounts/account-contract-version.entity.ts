import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const AccountContractVersionSchema = defineEntity({
  name: 'AccountContractVersion',
  tableName: 'account_contract_version',
  properties: {
    accountId: p.uuid().primary(),
    position: p.integer().primary(),
    contractPosition: p.integer(),
    applicableAtDate: p.date(),
  },
});

/** A version of an account contract. */
export class AccountContractVersion extends AccountContractVersionSchema.class {}
AccountContractVersionSchema.setClass(AccountContractVersion);
