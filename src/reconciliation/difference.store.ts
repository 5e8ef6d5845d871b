import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { recordAudit, type Actor } from '../access/index.ts';
import { keysetPages } from '../foundation/keyset-pages.ts';
import type { Database } from '../platform/database/database.ts';
import { kyselyOf, type Queryable } from '../platform/database/prepared-query.ts';
import type { DifferenceKind, DifferenceSubject } from '../vocabulary/reconciliation.ts';
import type { Difference } from './compare/compare-account.rules.ts';
import { accountForm, transactionForm } from './compare/accepted-forms.schema.ts';
import { compareAccounts } from './compare/compare-accounts.store.ts';
import { valueAt } from './compare/hashed-lines.rules.ts';
import { ReconciliationDifference, type ReconciliationDifferenceTable } from './reconciliation.entity.ts';
import type { ReconciliationRecord } from './reconciliation.store.ts';

/** A difference, with the account or business that it concerns. */
export interface SubjectDifference extends Difference {
  subject: DifferenceSubject;
  /** The external number of the account, or the external identifier of the business. */
  key: string;
  /** The response of the payment vendor, for differences of payment instructions. */
  vendorAnswer?: string;
}

/** Most listed differences; more are only counted. */
const LISTED_MAX = 100_000;

/** Differences per statement when the list is written. */
const WRITTEN = 1_000;
/** Differences per query when the list is read. */
const READ = 500;
/** Most differences that one page scans, with and without a known reason. */
export const SCANNED_MAX = 5_000;
const PATHS_MAX = 50;
/** A path with `*` for the positions in lists. */
const PATH_SQL = sql<string>`regexp_replace(path, ${sql.lit('\\.\\d+(?=\\.|$)')}, '.*', 'g')`;

/** Appends differences to the list, in the transaction that has locked the reconciliation. */
export async function listDifferences(
  em: EntityManager,
  record: ReconciliationRecord,
  found: readonly SubjectDifference[],
): Promise<void> {
  const differences = found
    .slice(0, LISTED_MAX - record.listed)
    .map(({ table: tableName, column: columnName, ...difference }, index) => ({
      ...difference,
      reconciliationId: record.id,
      number: record.listed + index + 1,
      tableName,
      columnName,
    }));
  for (let at = 0; at < differences.length; at += WRITTEN) {
    await em.insertMany(ReconciliationDifference, differences.slice(at, at + WRITTEN));
  }
  record.listed += differences.length;
}

/** A difference in the list. */
export interface ListedDifference extends Omit<SubjectDifference, 'vendorAnswer'> {
  number: number;
  vendor_answer: string | null;
}

/** Filters and page of the list; `path` has `*` for positions. */
interface WantedDifferences {
  hasReason: boolean;
  path?: string | undefined;
  kind?: string | undefined;
  after: number;
  limit: number;
}

/**
 * Finds differences in the order of their numbers. One call scans a limited part of the list, so that a filter with few matches returns in
 * time.
 * @returns the differences, and the number to continue after; undefined at the end of the list
 */
export async function findDifferences(
  on: Queryable,
  reconciliationId: string,
  { hasReason, path, kind, after, limit }: WantedDifferences,
): Promise<{ differences: ListedDifference[]; next: number | undefined }> {
  const scanned = differencesAfter(on, reconciliationId, after, SCANNED_MAX).where(
    'reason',
    hasReason ? 'is not' : 'is',
    null,
  );
  const found = await kyselyOf<ReconciliationDifferenceTable>(on)
    .selectFrom(scanned.as('d'))
    .selectAll()
    .$if(path !== undefined, (all) => all.where(PATH_SQL, '=', path!))
    .$if(kind !== undefined, (all) => all.where('kind', '=', kind as DifferenceKind))
    .orderBy('number')
    .limit(limit + 1)
    .execute();
  if (found.length > limit) return { differences: found.slice(0, limit), next: found[limit - 1]!.number };
  const last = await kyselyOf<ReconciliationDifferenceTable>(on)
    .selectFrom(scanned.as('d'))
    .select((is) => [is.fn.max('number').as('number'), sql<number>`count(*)::integer`.as('count')])
    .executeTakeFirst();
  return { differences: found, next: last?.count === SCANNED_MAX ? last.number : undefined };
}

async function findDifference(
  on: Queryable,
  reconciliationId: string,
  number: number,
): Promise<ListedDifference | undefined> {
  return differencesAfter(on, reconciliationId, number - 1, 1)
    .where('number', '=', number)
    .executeTakeFirst();
}

function differencesAfter(on: Queryable, reconciliationId: string, after: number, limit: number) {
  return kyselyOf<ReconciliationDifferenceTable>(on)
    .selectFrom('reconciliation_difference')
    .select([
      'number',
      'subject',
      'key',
      'path',
      'kind',
      'table_name as table',
      'column_name as column',
      'reason',
      'vendor_answer',
    ])
    .where('reconciliation_id', '=', reconciliationId)
    .where('number', '>', after)
    .orderBy('number')
    .limit(limit);
}

/** Reads all differences of the list, page by page. */
export function readDifferences(on: Queryable, reconciliationId: string): AsyncGenerator<ListedDifference[]> {
  const read = (after: number) => differencesAfter(on, reconciliationId, after, READ).execute();
  return keysetPages(0, READ, ({ number }) => number, read);
}

/** The number of differences at a path; positions in lists are `*`. */
export interface PathCount extends Pick<SubjectDifference, 'path' | 'kind' | 'reason'> {
  count: number;
}

/** Counts differences by path, those without a reason first, then the most frequent first; 50 paths at most. */
export async function countByPath(on: Queryable, reconciliationId: string): Promise<PathCount[]> {
  const first = (hasReason: boolean) =>
    differencesAfter(on, reconciliationId, 0, SCANNED_MAX).where('reason', hasReason ? 'is not' : 'is', null);
  const counts = await Promise.all(
    [first(false), first(true)].map((scanned) =>
      kyselyOf<ReconciliationDifferenceTable>(on)
        .selectFrom(scanned.as('d'))
        .select([PATH_SQL.as('path'), 'kind', 'reason', sql<number>`count(*)::integer`.as('count')])
        .groupBy([sql`1`, 'kind', 'reason'])
        .orderBy('count', 'desc')
        .orderBy(sql`1`)
        .limit(PATHS_MAX)
        .execute(),
    ),
  );
  return counts.flat().slice(0, PATHS_MAX);
}

/** A difference with its current values. */
export interface DifferenceValues {
  difference: ListedDifference;
  /** Undefined if there is no value, or if no copy of the accepted data is stored. */
  accepted: string | undefined;
  stored: string | undefined;
  /** Whether the accepted data is still stored; without it no value can be shown. */
  isCopyKept: boolean;
}

/**
 * Compares the account of a difference again and returns both values. They are personal data, so each read is audited.
 * @returns undefined if there is no such difference of an account
 */
export async function readDifferenceValues(
  database: Database,
  actor: Actor,
  { id, importSupplier, number }: { id: string; importSupplier: string; number: number },
): Promise<DifferenceValues | undefined> {
  const difference = await findDifference(database, id, number);
  if (difference?.subject !== 'account') return undefined;
  const { key, path } = difference;
  await recordAudit(database, actor, {
    action: 'reconciliation.values_read',
    subject: `accounts/${importSupplier}/${key}`,
    after: { reconciliation_id: id, path },
  });
  return database.transaction(async (em) => {
    await em.execute('set transaction isolation level repeatable read');
    for await (const { account, transactions, by } of compareAccounts(em, importSupplier, [key])) {
      const valueOf = (side: 'accepted' | 'stored') =>
        valueAt(path, accountForm, account.lines[side]) ??
        (transactions && valueAt(path, transactionForm, transactions.lines[side]));
      return { difference, accepted: valueOf('accepted'), stored: valueOf('stored'), isCopyKept: by === 'copy' };
    }
    return { difference, accepted: undefined, stored: undefined, isCopyKept: false };
  });
}
