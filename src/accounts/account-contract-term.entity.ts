import { defineEntity } from '@mikro-orm/core';
import { KEPT } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const AccountContractTermSchema = defineEntity({
  name: 'AccountContractTerm',
  tableName: 'account_contract_term',
  properties: {
    accountId: p.uuid().primary().comment(KEPT),
    position: p.integer().primary().comment(KEPT),
    versionPosition: p.integer().comment(KEPT),
    termType: p.text().comment(KEPT),
    content: p.json<Record<string, unknown>>().comment(KEPT),
  },
});

/** A term of a version of an account contract; `content` is the term as sent. */
export class AccountContractTerm extends AccountContractTermSchema.class {}
AccountContractTermSchema.setClass(AccountContractTerm);
