import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';

const p = defineEntity.properties;

const AccountCountSchema = defineEntity({
  name: 'AccountCount',
  tableName: 'account_count',
  properties: { importSupplier: p.text().primary(), state: p.text().primary(), count: p.bigint('string') },
});

/** Number of accounts of an import supplier in a state, without the pending rows of `account_count_change`. */
export class AccountCount extends AccountCountSchema.class {}
AccountCountSchema.setClass(AccountCount);

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

/** A change of a count by one transaction, until it is folded into `account_count`. */
export class AccountCountChange extends AccountCountChangeSchema.class {}
AccountCountChangeSchema.setClass(AccountCountChange);

const CreationMinuteSchema = defineEntity({
  name: 'CreationMinute',
  tableName: 'creation_minute',
  properties: { minute: p.datetime().primary(), importSupplier: p.text().primary(), created: p.integer() },
});

/** Number of accounts of an import supplier created in a minute; kept for a day. */
export class CreationMinute extends CreationMinuteSchema.class {}
CreationMinuteSchema.setClass(CreationMinute);

export type AccountCountTables = InferKyselyDB<
  typeof AccountCountSchema | typeof AccountCountChangeSchema | typeof CreationMinuteSchema
>;
