import { sql } from 'kysely';
import { findImportedAccounts } from '../../account-import/index.ts';
import { propertiesOf, type Queryable } from '../../platform/database/prepared-query.ts';
import type { ImportJobGoal, ImportJobKind, LineState } from '../../vocabulary/import-jobs.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import type { ImportJobTables } from '../import-job.entity.ts';
import type { JobViewer } from '../import-job.store.ts';
import { readLine } from '../read-line.validation.ts';
import type { CauseView } from '../results.schema.ts';
import { exampleValue, type LineFault, mayBeShown, placeOf } from './cause.rules.ts';
import { readLines, recordReader, type StoredLine } from './import-job-result.store.ts';

const REJECTED: readonly LineState[] = ['failed', 'quarantined'];
const REJECTIONS_MAX = 50;
const JOBS_MAX = 50;
const CAUSES_SCANNED_MAX = 1_000;
/** Most lines that are scanned to count missing accounts. */
const COUNTED_MAX = 20_000;
/** Most lines that are scanned for one page of records, so that a filter with few matches returns in time. */
const SCANNED_MAX = 10_000;

/** A record that was rejected in a job. */
export type Rejection = Awaited<ReturnType<typeof findRejections>>[number];

/**
 * Finds the records with a key that jobs have rejected, newest job first, at most 50.
 * @param key external number of an account, or external identifier of a business
 * @param importSupplier undefined for all suppliers
 * @param viewer undefined for operators, who see the jobs of all organizations
 */
export async function findRejections(database: Queryable, key: string, importSupplier?: string, viewer?: JobViewer) {
  // Postgres cannot store this character in text.
  if (key.includes('\0') || importSupplier?.includes('\0')) return [];
  // There is a partial index for each value of claims_key.
  const lines = (claimsKey: boolean) =>
    propertiesOf<ImportJobTables>(database)
      .selectFrom((from) =>
        from
          .selectFrom('import_job_line')
          .select(['jobId', 'line', 'key', 'errors'])
          .where('key', '=', key)
          .where(claimsKey ? sql<boolean>`claims_key` : sql<boolean>`not claims_key`)
          .where('state', 'in', REJECTED)
          .orderBy('jobId', 'desc')
          .limit(REJECTIONS_MAX)
          .as('l'),
      )
      .innerJoin('import_job as j', 'j.id', 'l.jobId')
      .select([
        'j.id as jobId',
        'j.name as jobName',
        'j.kind',
        'j.importSupplier',
        'j.startedAt',
        'l.line',
        'l.key',
        'l.errors',
      ])
      .$if(importSupplier !== undefined, (all) => all.where('j.importSupplier', '=', importSupplier!))
      .$if(viewer?.organisation !== undefined, (all) => all.where('j.organisation', '=', viewer!.organisation!))
      .execute();
  const found = [...(await lines(true)), ...(await lines(false))];
  return found
    .map((one) => ({ ...one, key: one.key ?? '', errors: (one.errors ?? []) as LineFault[] }))
    .toSorted((one, other) => (one.jobId === other.jobId ? one.line - other.line : one.jobId < other.jobId ? 1 : -1))
    .slice(0, REJECTIONS_MAX);
}

/** Finds the newest jobs that rejected records with a code, with the number of records, at most 50. @param viewer undefined for operators */
export async function findJobsWithCause(
  database: Queryable,
  { code, importSupplier }: { code: string; importSupplier: string | undefined },
  viewer?: JobViewer,
) {
  return propertiesOf<ImportJobTables>(database)
    .selectFrom((from) =>
      from
        .selectFrom('import_job_cause')
        .select(['jobId', 'records'])
        .where('code', '=', code)
        .where(sql<boolean>`not is_warning`)
        .where('records', '>', 0)
        .orderBy('jobId', 'desc')
        .limit(CAUSES_SCANNED_MAX)
        .as('c'),
    )
    .innerJoin('import_job as j', 'j.id', 'c.jobId')
    .select((is) => ['j.id as jobId', 'j.name as jobName', 'j.importSupplier', is.fn.max('c.records').as('records')])
    .$if(importSupplier !== undefined, (all) => all.where('j.importSupplier', '=', importSupplier!))
    .$if(viewer?.organisation !== undefined, (all) => all.where('j.organisation', '=', viewer!.organisation!))
    .groupBy('j.id')
    .orderBy('j.id', 'desc')
    .limit(JOBS_MAX)
    .execute();
}

/** A fault with the value at its place; null if it may be personal data, or the upload is deleted. */
type RecordFault = LineFault & { value: string | null };

/** A record of a job with its outcome. */
export interface JobRecord {
  line: number;
  key: string | null;
  number: string | null;
  errors: RecordFault[];
  warnings: RecordFault[];
  /** Whether an account of the number is stored now; undefined for records that are not accounts. */
  isStored: boolean | undefined;
}

/** The job of records. */
export interface JobOfRecords {
  job_id: string;
  import_supplier: string;
  kind: ImportJobKind;
  goal: ImportJobGoal;
}

/** Selects records of a job. */
interface WantedRecords {
  outcome: 'succeeded' | 'failed';
  /** Only records with this error or warning. */
  cause?: { code: string; place: string | undefined } | undefined;
  /** Only accounts that are still missing: no other job has stored them. */
  isMissing?: boolean;
}

/** Reads a page of the records of a job in the order of their lines. @returns the records, and the line to continue after */
export async function readRecords(
  on: Queryable,
  job: JobOfRecords,
  { after, limit, ...wanted }: WantedRecords & { after: number; limit: number },
): Promise<{ records: JobRecord[]; next: number | undefined }> {
  const records: JobRecord[] = [];
  let scanned = 0;
  for await (const found of matchingRecords(on, job, wanted, after)) {
    records.push(...found.records);
    scanned += found.scanned;
    const isFull = records.length >= limit;
    if (!isFull && scanned < SCANNED_MAX) continue;
    const shown = records.slice(0, limit);
    return { records: await withValues(on, job, shown), next: isFull ? shown.at(-1)!.line : found.last };
  }
  return { records: await withValues(on, job, records), next: undefined };
}

/** Counts the failed accounts of a job that are still missing, among the first 20,000 failed ones. */
export async function countMissing(on: Queryable, job: JobOfRecords): Promise<{ missing: number; counted: number }> {
  let [missing, counted] = [0, 0];
  for await (const { records, scanned } of matchingRecords(on, job, { outcome: 'failed' }, 0)) {
    missing += records.filter(({ isStored }) => isStored === false).length;
    counted += scanned;
    if (counted >= COUNTED_MAX) break;
  }
  return { missing, counted };
}

async function* matchingRecords(on: Queryable, job: JobOfRecords, wanted: WantedRecords, after: number) {
  const { outcome, cause, isMissing = false } = wanted;
  for await (const lines of readLines(on, job.job_id, outcome === 'failed' ? REJECTED : ['succeeded'], after)) {
    const found = cause === undefined ? lines : lines.filter((line) => hasCause(line, cause));
    const keys = found.flatMap(({ key }) => key ?? []);
    const isChecked = job.kind === 'accounts' && outcome === 'failed' && found.length > 0;
    const stored = isChecked ? await findImportedAccounts(on, job.import_supplier, keys, job.goal === 'CREATE') : null;
    const records = found
      .map((line) => recordOf(line, stored))
      .filter(({ isStored }) => !isMissing || isStored === false);
    yield { records, scanned: lines.length, last: lines.at(-1)!.line };
  }
}

const faultsIn = (json: string | null) => JSON.parse(json ?? '[]') as LineFault[];

/** Whether a line has the cause. Most lines without it are recognized without parsing. */
function hasCause({ errors, warnings }: StoredLine, cause: { code: string; place: string | undefined }): boolean {
  return [errors, warnings].some(
    (json) => json?.includes(cause.code) && faultsIn(json).some((one) => isOf(one, cause)),
  );
}

function recordOf({ line, key, number, errors, warnings }: StoredLine, stored: ReadonlySet<string> | null): JobRecord {
  const faults = (json: string | null) => faultsIn(json).map((fault) => ({ ...fault, value: null }));
  const isStored = stored === null ? undefined : key !== null && stored.has(key);
  return { line, key, number, errors: faults(errors), warnings: faults(warnings), isStored };
}

/** Adds the values from the uploaded lines. */
async function withValues(on: Queryable, { job_id: jobId }: JobOfRecords, records: JobRecord[]): Promise<JobRecord[]> {
  const lineOf = recordReader(on, jobId);
  for (const { line, errors, warnings } of records) {
    const faults = [...errors, ...warnings].filter(({ attr }) => mayBeShown(attr));
    const bytes = faults.length === 0 ? undefined : await lineOf(line);
    const read = bytes && readLine(bytes);
    if (read === undefined || isRefused(read)) continue;
    for (const fault of faults) fault.value = exampleValue(read.body, fault.attr);
  }
  return records;
}

function isOf({ code, attr }: LineFault, cause: { code: string; place: string | undefined }): boolean {
  return code === cause.code && (cause.place === undefined || placeOf(attr) === cause.place);
}

/** Replaces the general sentence of each cause with the detail stored for its example line. */
export async function withExampleDetails(
  database: Queryable,
  jobId: string,
  causes: readonly CauseView[],
): Promise<CauseView[]> {
  const wanted = causes.flatMap(({ example }) => example.line ?? []);
  if (wanted.length === 0) return [...causes];
  const lines = await propertiesOf<ImportJobTables>(database)
    .selectFrom('import_job_line')
    .select(['line', 'errors', 'warnings'])
    .where('jobId', '=', jobId)
    .where('line', 'in', wanted)
    .execute();
  const faultsOf = new Map(
    lines.map(({ line, errors, warnings }) => [line, [errors ?? [], warnings ?? []] as LineFault[][]]),
  );
  return causes.map((cause) => {
    const faults = faultsOf.get(cause.example.line ?? 0)?.[cause.is_warning ? 1 : 0] ?? [];
    return { ...cause, detail: faults.find((fault) => isOf(fault, cause))?.detail ?? cause.detail };
  });
}
