import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';
import type { DifferenceSubject } from '../vocabulary/reconciliation.ts';
import type { Difference } from './compare/compare-account.rules.ts';
import type { ReconciliationRecord } from './reconciliation.store.ts';

/** A place that differs, and in what. */
export interface SubjectDifference extends Difference {
  subject: DifferenceSubject;
  /** The external number of the account, or the external identifier of the business. */
  key: string;
  /** What a payment vendor said, where it is that. */
  vendorAnswer?: string;
}

/** Beyond so many differences they are only counted. */
const LISTED_MAX = 100_000;

const INSERT: PreparedQuery = {
  name: 'reconciliation-differences-insert',
  text: `
    insert into reconciliation_difference (reconciliation_id, number, subject, key, path, kind, table_name, column_name, reason, vendor_answer)
    select $1, $2 + d.n, d.subject, d.key, d.path, d.kind, d.table_name, d.column_name, d.reason, d.vendor_answer
    from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[]) with ordinality
      as d (subject, key, path, kind, table_name, column_name, reason, vendor_answer, n) order by d.n`,
};
/** Of what is listed so many are read at once. */
const READ = 500;
const LIST: PreparedQuery = {
  name: 'reconciliation-differences',
  text: `
    select number, subject, key, path, kind, table_name as "table", column_name as "column", reason, vendor_answer from reconciliation_difference
    where reconciliation_id = $1 and number > $2 order by number limit $3`,
};
/** Of what is listed so many are counted by path. */
export const COUNTED_BY_PATH_MAX = 5_000;
const BY_PATH: PreparedQuery = {
  name: 'reconciliation-differences-by-path',
  text: `
    select regexp_replace(path, '\\.\\d+(?=\\.|$)', '.*', 'g') as path, kind, reason, count(*)::integer as count from reconciliation_difference
    where reconciliation_id = $1 and number <= ${COUNTED_BY_PATH_MAX}
    group by 1, 2, 3 order by reason is not null, 4 desc, 1 limit 50`,
};

/** Lists differences behind those that are listed, in the transaction that has locked the reconciliation. */
export async function listDifferences(
  em: EntityManager,
  record: ReconciliationRecord,
  found: readonly SubjectDifference[],
): Promise<void> {
  const differences = found.slice(0, LISTED_MAX - record.listed);
  if (differences.length === 0) return;
  await run(em, INSERT, [
    record.id,
    record.listed,
    differences.map(({ subject }) => subject),
    differences.map(({ key }) => key),
    differences.map(({ path }) => path),
    differences.map(({ kind }) => kind),
    differences.map(({ table }) => table),
    differences.map(({ column }) => column),
    differences.map(({ reason }) => reason),
    differences.map(({ vendorAnswer = null }) => vendorAnswer),
  ]);
  record.listed += differences.length;
}

/** A difference as it is told. */
export interface ListedDifference extends SubjectDifference {
  number: number;
  vendor_answer: string | null;
}

/** What is listed behind a number, at most so many. */
export async function readDifferencesAfter(
  on: Queryable,
  reconciliationId: string,
  after: number,
  limit: number,
): Promise<ListedDifference[]> {
  return run<ListedDifference & Record<string, unknown>>(on, LIST, [reconciliationId, after, limit]);
}

/** All that is listed, a few at a time. */
export async function* readDifferences(on: Queryable, reconciliationId: string): AsyncGenerator<ListedDifference[]> {
  for (let after = 0; ;) {
    const rows = await readDifferencesAfter(on, reconciliationId, after, READ);
    if (rows.length > 0) yield rows;
    if (rows.length < READ) return;
    after = rows.at(-1)!.number;
  }
}

/** How many of what is listed differ at a path; places in lists are `*`. */
export interface PathCount extends Pick<SubjectDifference, 'path' | 'kind' | 'reason'> {
  count: number;
}

/** Counts the first that are listed by their path, the most frequent without a reason first; 50 paths at most. */
export async function countByPath(on: Queryable, reconciliationId: string): Promise<PathCount[]> {
  return run<PathCount & Record<string, unknown>>(on, BY_PATH, [reconciliationId]);
}
