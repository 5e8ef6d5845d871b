import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const AccountCountChangeSchema = defineEntity({
  name: 'AccountCountChange',
  tableName: 'account_count_change',
  properties: {
    id: p.bigint('string').primary(),
    importSupplier: p.text(),
    state: p.text(),
    change: p.integer(),
    changedAt: p.datetime(),
  },
});

/** What a transaction has changed of a count, until it is folded into it. */
export class AccountCountChange extends AccountCountChangeSchema.class {}
AccountCountChangeSchema.setClass(AccountCountChange);
