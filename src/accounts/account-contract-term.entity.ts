import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const AccountContractTermSchema = defineEntity({
  name: 'AccountContractTerm',
  tableName: 'account_contract_term',
  properties: {
    accountId: p.uuid().name('account_id').primary(),
    position: p.integer().name('position').primary(),
    versionPosition: p.integer().name('version_position'),
    termType: p.text().name('term_type'),
    content: p.json<Record<string, unknown>>().name('content'),
  },
});

/** A term of a version of an account contract; `content` is the term as sent. */
export class AccountContractTerm extends AccountContractTermSchema.class {}
AccountContractTermSchema.setClass(AccountContractTerm);
