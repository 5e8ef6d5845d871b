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
    where reconciliation_id = $1 and number > $2 order by number limit ${READ}`,
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
interface ListedDifference extends SubjectDifference {
  number: number;
  vendor_answer: string | null;
}

/** All that is listed, a few at a time. */
export async function* readDifferences(on: Queryable, reconciliationId: string): AsyncGenerator<ListedDifference[]> {
  for (let after = 0; ;) {
    const rows = await run<ListedDifference & Record<string, unknown>>(on, LIST, [reconciliationId, after]);
    if (rows.length > 0) yield rows;
    if (rows.length < READ) return;
    after = rows.at(-1)!.number;
  }
}
