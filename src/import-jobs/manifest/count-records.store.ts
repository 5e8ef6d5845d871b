import type { EntityManager } from '@mikro-orm/postgresql';
import { type PreparedQuery, run } from '../../platform/database/prepared-query.ts';
import { mergeTotals, negateTotals } from '../../manifest/totals.rules.ts';
import { recordOf, runningTotals } from '../../manifest/index.ts';
import type { FinishedLine, JobAtWork, LineOutcome, PreparedLine } from '../work-off/line-kind.rules.ts';
import { lockTotals, storeTotals } from './manifest.store.ts';
import type { ManifestKinds } from './manifest-state.rules.ts';

function isAccepted({ kind }: LineOutcome): boolean {
  return kind === 'succeeded' || kind === 'staged';
}

/** Counts the accepted lines of a page. A repeated account is no accepted one, but is a record of the file. */
function totalsOfLines({ kind }: Pick<JobAtWork, 'kind'>, lines: readonly FinishedLine[]): ManifestKinds {
  const totals = runningTotals();
  let repeated = 0;
  for (const { outcome, body } of lines) {
    if (isAccepted(outcome)) totals.add(kind, recordOf(kind, body));
    else if (outcome.kind === 'failed' && outcome.code === 'duplicate_in_job') repeated += 1;
  }
  const kinds = totals.kinds();
  return repeated === 0 ? kinds : mergeTotals(kinds, { [kind]: { records: repeated } });
}

/** The staged data of accounts that earlier jobs of a wave have counted, locked in the order in which they are staged. */
const COUNTED: PreparedQuery = {
  name: 'import-job-accounts-counted',
  text: `
    select p.external_account_number as key, p.payload::text as payload
    from import_process p
    where p.import_supplier = $1 and p.external_account_number = any($2::text[]) and p.payload is not null and exists (
      select from import_job_line l join import_job j on j.id = l.job_id
      where l.key = p.external_account_number and l.claims_key and l.state in ('staged', 'succeeded')
        and j.wave_id = $3 and j.id <> $4 and j.counts_totals)
    order by p.external_account_number collate "C" for no key update of p`,
};

/**
 * Finds the staged data of accounts that earlier jobs of the wave have counted and that a page may replace. Call it before they are staged,
 * in the same transaction.
 * @returns payloads as JSON, by external number
 */
export async function findCountedBefore(
  em: EntityManager,
  { id, importSupplier, kind, waveId }: JobAtWork,
  lines: readonly PreparedLine[],
): Promise<ReadonlyMap<string, string>> {
  const keys = lines.flatMap(({ key, refused }) => (key === undefined || refused ? [] : [key]));
  if (kind !== 'accounts' || waveId === null || keys.length === 0) return new Map();
  const rows = await run<{ key: string; payload: string }>(em, COUNTED, [importSupplier, keys, waveId, id]);
  return new Map(rows.map(({ key, payload }) => [key, payload]));
}

/**
 * Adds a page to the totals of its job, in the transaction of the page.
 * @param before the data that accepted lines have replaced, which counts no longer
 */
export async function addPageTotals(
  em: EntityManager,
  job: JobAtWork,
  lines: readonly FinishedLine[],
  before: ReadonlyMap<string, string>,
): Promise<void> {
  const replaced = runningTotals();
  for (const { key = '', outcome } of lines) {
    const payload = isAccepted(outcome) ? before.get(key) : undefined;
    if (payload !== undefined) replaced.add(job.kind, recordOf(job.kind, JSON.parse(payload)));
  }
  const page = mergeTotals(totalsOfLines(job, lines), negateTotals(replaced.kinds()));
  const { accepted } = await lockTotals(em, job.id);
  await storeTotals(em, job.id, { accepted: mergeTotals(accepted ?? {}, page) });
}
