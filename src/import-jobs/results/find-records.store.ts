import { sql } from 'kysely';
import { propertiesOf, type Queryable } from '../../platform/database/prepared-query.ts';
import type { LineState } from '../../vocabulary/import-jobs.ts';
import type { ImportJobTables } from '../import-job.entity.ts';
import type { JobViewer } from '../import-job.store.ts';
import { type LineFault, placeOf } from './cause.rules.ts';
import type { CauseView } from '../results.schema.ts';
import { readLines, type StoredLine } from './import-job-result.store.ts';

const REJECTED: readonly LineState[] = ['failed', 'quarantined'];
const REJECTIONS_MAX = 50;
const JOBS_MAX = 50;
const CAUSES_SCANNED_MAX = 1_000;
/** Most lines scanned for one page of records, so that a filter with few matches returns in time. */
const SCANNED_MAX = 20_000;

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

/** A record of a job with its outcome. */
export interface JobRecord {
  line: number;
  key: string | null;
  number: string | null;
  errors: LineFault[];
  warnings: LineFault[];
}

/** Selects the records of a page of results. */
export interface WantedRecords {
  outcome: 'succeeded' | 'failed';
  /** Only records with this error or warning. */
  cause?: { code: string; place: string | undefined } | undefined;
  after: number;
  limit: number;
}

/** Reads a page of the records of a job in the order of their lines. @returns the records, and the line to continue after */
export async function readRecords(
  on: Queryable,
  jobId: string,
  { outcome, cause, after, limit }: WantedRecords,
): Promise<{ records: JobRecord[]; next: number | undefined }> {
  const records: JobRecord[] = [];
  let scanned = 0;
  for await (const lines of readLines(on, jobId, outcome === 'failed' ? REJECTED : ['succeeded'], after)) {
    for (const line of lines) {
      const record = recordOf(line);
      if (cause === undefined || [...record.errors, ...record.warnings].some((fault) => isOf(fault, cause))) {
        records.push(record);
      }
      scanned += 1;
      if (records.length >= limit || scanned >= SCANNED_MAX) return { records, next: line.line };
    }
  }
  return { records, next: undefined };
}

function recordOf({ line, key, number, errors, warnings }: StoredLine): JobRecord {
  const faults = (json: string | null) => JSON.parse(json ?? '[]') as LineFault[];
  return { line, key, number, errors: faults(errors), warnings: faults(warnings) };
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
