import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const AccountContractTermSchema = defineEntity({
  name: 'AccountContractTerm',
  tableName: 'account_contract_term',
  properties: {
    accountId: p.uuid().primary(),
    position: p.integer().primary(),
    versionPosition: p.integer(),
    termType: p.text(),
    content: p.json<Record<string, unknown>>(),
  },
});

/** A term of a version of an account contract; `content` is the term as sent. */
export class AccountContractTerm extends AccountContractTermSchema.class {}
AccountContractTermSchema.setClass(AccountContractTerm);
