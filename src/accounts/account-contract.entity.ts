import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const AccountContractSchema = defineEntity({
  name: 'AccountContract',
  tableName: 'account_contract',
  properties: {
    accountId: p.uuid().primary(),
    position: p.integer().primary(),
    identifier: p.text(),
    validFromDate: p.date(),
    signedAtDate: p.date().nullable(),
  },
});

/** A contract that an account brings along. */
export class AccountContract extends AccountContractSchema.class {}
AccountContractSchema.setClass(AccountContract);
