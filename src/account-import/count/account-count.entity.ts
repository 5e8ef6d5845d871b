import { defineEntity, p } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';

/** Number of accounts of an import supplier in a state, without the pending rows of `account_count_change`. */
export const AccountCount = defineEntity({
  name: 'AccountCount',
  tableName: 'account_count',
  properties: { importSupplier: p.text().primary(), state: p.text().primary(), count: p.bigint('string') },
});

/** A change of a count by one transaction, until it is folded into `account_count`. */
export const AccountCountChange = defineEntity({
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

/** Number of accounts of an import supplier that entered a state in a minute; kept for a day. */
export const CountMinute = defineEntity({
  name: 'CountMinute',
  tableName: 'count_minute',
  properties: {
    minute: p.datetime().primary(),
    importSupplier: p.text().primary(),
    state: p.text().primary(),
    entered: p.integer(),
  },
});

/** Number of accounts of an import supplier that came into a state on a day in France. */
export const AccountDay = defineEntity({
  name: 'AccountDay',
  tableName: 'account_day',
  properties: {
    day: p.date().primary(),
    importSupplier: p.text().primary(),
    state: p.text().primary(),
    count: p.bigint('string'),
  },
});

export type AccountCountTables = InferKyselyDB<
  typeof AccountCount | typeof AccountCountChange | typeof AccountDay | typeof CountMinute
>;
