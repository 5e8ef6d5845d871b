import { raw } from '@mikro-orm/core';
import { sql } from 'kysely';
import { emOf, kyselyOf, run, type PreparedQuery, type Queryable } from '../../platform/database/prepared-query.ts';
import { loggedFault, type Log } from '../../platform/log.ts';
import { repeatEvery } from '../../foundation/repeat.ts';
import type { SwitchStatus } from '../../vocabulary/switch-statuses.ts';
import { type AccountCountTables, AccountDay, CountMinute } from './account-count.entity.ts';

/** Number of accounts of an import supplier in each state. Each account is in exactly one of the five states from `staged` to `created`. */
export interface AccountCounts {
  importSupplier: string;
  /** All accounts ever staged: the sum of the five states. */
  known: number;
  /** Waiting to be created. */
  staged: number;
  refused: number;
  skipped: number;
  /** Quarantined: the database rejects the account, or creating it takes too long. */
  beingCreated: number;
  created: number;
  /** Created accounts by the status of their switch. */
  switched: Record<SwitchStatus, number>;
}

/**
 * Counts accounts by import supplier and state, without reading account rows. Adds changes that are not folded yet, so that the counts are
 * exact for the reading statement.
 */
export async function findAccountCounts(on: Queryable): Promise<AccountCounts[]> {
  const tables = kyselyOf<AccountCountTables>(on);
  const changes = tables
    .selectFrom('account_count_change')
    .select(({ ref }) => ['import_supplier', 'state', ref('change').$castTo<string>().as('count')]);
  const counted = tables.selectFrom('account_count').select(['import_supplier', 'state', 'count']).unionAll(changes);
  const rows = await tables
    .selectFrom(counted.as('counted'))
    .select(['import_supplier', 'state', sql<number>`sum(count)::float8`.as('count')])
    .groupBy(['import_supplier', 'state'])
    .orderBy('import_supplier')
    .execute();
  return [...Map.groupBy(rows, (row) => row.import_supplier)].map(([importSupplier, states]) => {
    const of = (state: string) => states.find((row) => row.state === state)?.count ?? 0;
    const [known, refused, skipped] = [of('known'), of('refused'), of('skipped')];
    const [beingCreated, created] = [of('being_created'), of('created')];
    return {
      importSupplier,
      known,
      staged: known - refused - skipped - beingCreated - created,
      refused,
      skipped,
      beingCreated,
      created,
      switched: {
        PENDING: of('PENDING'),
        IN_PROGRESS: of('IN_PROGRESS'),
        REJECTED: of('REJECTED'),
        COMPLETED: of('COMPLETED'),
      },
    };
  });
}

/** States whose accounts are counted by the minute in which they entered it. */
const STATES_BY_MINUTE = ['created', 'refused', 'COMPLETED'] as const;

/** Accounts that entered a state in a minute, over all import suppliers. */
export interface EnteredInMinute {
  minute: Date;
  state: (typeof STATES_BY_MINUTE)[number];
  entered: number;
}

/** Returns the minutes since `from` in which accounts were created or rejected, or their switch was completed. */
export async function findCountMinutes(on: Queryable, from: Date): Promise<EnteredInMinute[]> {
  const tables = kyselyOf<AccountCountTables>(on);
  const changes = tables
    .selectFrom('account_count_change')
    .select([sql<Date>`date_trunc('minute', changed_at)`.as('minute'), 'state', 'change as entered'])
    .where('state', 'in', STATES_BY_MINUTE)
    // Accounts that left the state are negative.
    .where('change', '>', 0)
    .where('changed_at', '>=', from);
  const counted = tables.selectFrom('count_minute').select(['minute', 'state', 'entered']).where('minute', '>=', from);
  return tables
    .selectFrom(counted.unionAll(changes).as('counted'))
    .select(({ ref }) => ['minute', ref('state').$castTo<EnteredInMinute['state']>().as('state')])
    .select(sql<number>`sum(entered)::integer`.as('entered'))
    .groupBy(['minute', 'state'])
    .orderBy('minute')
    .execute();
}

/** Maximum number of changes that one statement folds. */
const FOLDED_AT_ONCE = 10_000;
const FOLD_EVERY_MS = 5_000;

/** States that are counted by day. */
const COUNTED_BY_DAY = ['known', 'refused', 'created', 'COMPLETED'] as const;
const DAYS_KEPT = 40;

/** Accounts of an import supplier that came into a state on a day in France. */
export interface AccountDayCount {
  day: string;
  state: (typeof COUNTED_BY_DAY)[number];
  count: number;
}

/** Returns the counts by day since `from`, at most some seconds old. Accounts that leave a state are not subtracted. */
export function findAccountDays(on: Queryable, importSupplier: string, from: string): Promise<AccountDayCount[]> {
  return kyselyOf<AccountCountTables>(on)
    .selectFrom('account_day')
    .select([
      sql<string>`day::text`.as('day'),
      sql<AccountDayCount['state']>`state`.as('state'),
      sql<number>`count::float8`.as('count'),
    ])
    .where('import_supplier', '=', importSupplier)
    .where('day', '>=', sql<string>`${from}::date`)
    .orderBy('day')
    .execute();
}

const FOLD: PreparedQuery = {
  name: 'account-counts-fold',
  // Locks and writes in key order, so that two concurrent folds cannot deadlock.
  text: `
    with taken as (select id from account_count_change order by id limit ${FOLDED_AT_ONCE} for update skip locked),
    gone as (
      delete from account_count_change c using taken t where c.id = t.id
      returning c.import_supplier, c.state, c.change, c.changed_at),
    counted as (
      insert into account_count as c (import_supplier, state, count)
      select import_supplier, state, sum(change) from gone group by 1, 2 order by 1, 2
      on conflict (import_supplier, state) do update set count = c.count + excluded.count),
    minutes as (
      insert into count_minute as m (minute, import_supplier, state, entered)
      select date_trunc('minute', changed_at), import_supplier, state, sum(change) from gone
      where state in (${STATES_BY_MINUTE.map((state) => `'${state}'`).join(', ')}) and change > 0 group by 1, 2, 3 order by 1, 2, 3
      on conflict (minute, import_supplier, state) do update set entered = m.entered + excluded.entered),
    days as (
      insert into account_day as d (day, import_supplier, state, count)
      select (changed_at at time zone 'Europe/Paris')::date, import_supplier, state, sum(change) from gone
      where state in (${COUNTED_BY_DAY.map((state) => `'${state}'`).join(', ')}) and change > 0 group by 1, 2, 3 order by 2, 1, 3
      on conflict (import_supplier, day, state) do update set count = d.count + excluded.count)
    select count(*)::integer as folded from gone`,
};

/** Folds pending changes into the counts, which keeps reads fast. Several processes may run this concurrently. */
export async function foldAccountCounts(on: Queryable): Promise<void> {
  for (;;) {
    const [row] = await run<{ folded: number }>(on, FOLD, []);
    if ((row?.folded ?? 0) < FOLDED_AT_ONCE) break;
  }
  await emOf(on).nativeDelete(CountMinute, { minute: { $lt: raw(`now() - interval '1 day'`) } });
  await emOf(on).nativeDelete(AccountDay, { day: { $lt: raw(`current_date - ${DAYS_KEPT}`) } });
}

/**
 * Folds the counts every few seconds. Without it counts stay correct, but reads become slower.
 * @returns a function that stops folding and waits for the fold in progress
 */
export function keepAccountCounts({ database, log }: { database: Queryable; log: Log }): () => Promise<void> {
  return repeatEvery(FOLD_EVERY_MS, () =>
    foldAccountCounts(database).catch((error: unknown) =>
      log.debug({ fault: loggedFault(error) }, 'counts of accounts cannot be folded now'),
    ),
  );
}
