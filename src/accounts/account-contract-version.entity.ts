import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const AccountContractVersionSchema = defineEntity({
  name: 'AccountContractVersion',
  tableName: 'account_contract_version',
  properties: {
    accountId: p.uuid().name('account_id').primary(),
    position: p.integer().name('position').primary(),
    contractPosition: p.integer().name('contract_position'),
    applicableAtDate: p.date().name('applicable_at_date'),
  },
});

/** A version of an account contract. */
export class AccountContractVersion extends AccountContractVersionSchema.class {}
AccountContractVersionSchema.setClass(AccountContractVersion);
