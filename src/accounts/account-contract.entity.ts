import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const AccountContractSchema = defineEntity({
  name: 'AccountContract',
  tableName: 'account_contract',
  properties: {
    accountId: p.uuid().name('account_id').primary(),
    position: p.integer().name('position').primary(),
    identifier: p.text().name('identifier'),
    validFromDate: p.date().name('valid_from_date'),
    signedAtDate: p.date().name('signed_at_date').nullable(),
  },
});

/** A contract that an account brings along. */
export class AccountContract extends AccountContractSchema.class {}
AccountContractSchema.setClass(AccountContract);
