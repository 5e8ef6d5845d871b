import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const AccountCountSchema = defineEntity({
  name: 'AccountCount',
  tableName: 'account_count',
  properties: { importSupplier: p.text().primary(), state: p.text().primary(), count: p.bigint('string') },
});

/** How many accounts of an import supplier are in a state, but for what `account_count_change` adds. */
export class AccountCount extends AccountCountSchema.class {}
AccountCountSchema.setClass(AccountCount);
