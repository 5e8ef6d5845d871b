import { defineEntity } from '@mikro-orm/core';
import { KEPT } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const AccountContractSchema = defineEntity({
  name: 'AccountContract',
  tableName: 'account_contract',
  properties: {
    accountId: p.uuid().primary().comment(KEPT),
    position: p.integer().primary().comment(KEPT),
    identifier: p.text().comment(KEPT),
    validFromDate: p.date().comment(KEPT),
    signedAtDate: p.date().nullable().comment(KEPT),
  },
});

/** A contract that an account brings along. */
export class AccountContract extends AccountContractSchema.class {}
AccountContractSchema.setClass(AccountContract);
