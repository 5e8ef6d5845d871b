import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { run, type PreparedQuery, propertiesOf, type Queryable } from '../../platform/database/prepared-query.ts';
import { storableText } from '../../platform/database/storable-text.rules.ts';
import type { ImportJobTables } from '../import-job.entity.ts';
import { faultsOf } from '../results/cause.rules.ts';
import type { FinishedLine } from './line-kind.rules.ts';

/** A page with lines to validate. */
export interface PageToValidate extends Record<string, unknown> {
  uploadId: string;
  uploadPage: number;
  number: number;
  firstLine: number;
  physicalLines: number;
  /** All records; `judgedLines` counts those already validated. */
  lines: number;
  judgedLines: number;
  body: Buffer;
}

/** SQL: the staged lines of a page `p`, for `exists`. */
export const STAGED_LINES = `select from import_job_line l
  where l.job_id = p.job_id and l.line >= p.first_line and l.line < p.first_line + p.physical_lines and l.state = 'staged' offset 0`;

const FIND: PreparedQuery = {
  name: 'import-job-page-to-validate',
  text: `
    select upload_id as "uploadId", upload_page as "uploadPage", number, first_line as "firstLine", physical_lines as "physicalLines", lines,
      judged_lines as "judgedLines", body
    from import_job_page
    where job_id = $1 and number > $2 and not is_judged and (not_before is null or not_before <= now())
    order by number limit 1`,
};

/** Finds the first page after a number that has lines to validate and is not postponed. */
export async function findPageToValidate(
  database: Queryable,
  jobId: string,
  after: number,
): Promise<PageToValidate | undefined> {
  const [page] = await run<PageToValidate>(database, FIND, [jobId, after]);
  return page;
}

/** The time until the next waiting page may be retried. */
export async function findWaitMs(database: Queryable, jobId: string): Promise<number> {
  const row = await propertiesOf<ImportJobTables>(database)
    .selectFrom('import_job_page')
    .select(sql<number | null>`greatest(0, extract(epoch from min(not_before) - now()) * 1000)::float8`.as('waitMs'))
    .where('jobId', '=', jobId)
    .where('number', 'is not', null)
    .where(sql<boolean>`not is_judged`)
    .executeTakeFirst();
  return row?.waitMs ?? 0;
}

const LOCK: PreparedQuery = {
  name: 'import-job-page-lock',
  text: 'select judged_lines as "judgedLines" from import_job_page where upload_id = $1 and upload_page = $2 for no key update',
};

/** Locks a page; must be the first statement of the transaction. @returns false if another worker has validated lines of it since it was read */
export async function lockPageToValidate(em: EntityManager, page: PageToValidate): Promise<boolean> {
  const [row] = await run<{ judgedLines: number }>(em, LOCK, [page.uploadId, page.uploadPage]);
  return row?.judgedLines === page.judgedLines;
}

const CLAIMED: PreparedQuery = {
  name: 'import-job-keys-claimed',
  // `is not distinct from` makes Postgres use the index by key; the index by job would read all validated lines for every page.
  text: 'select key, line from import_job_line where job_id is not distinct from $1 and claims_key and key = any($2::text[])',
};

/** Finds the keys that earlier lines of the job claim. @returns line by key */
export async function findClaims(
  em: EntityManager,
  jobId: string,
  keys: readonly string[],
): Promise<Map<string, number>> {
  if (keys.length === 0) return new Map();
  const rows = await run<{ key: string; line: number }>(em, CLAIMED, [jobId, keys]);
  return new Map(rows.map(({ key, line }) => [key, line]));
}

const INSERT_LINES: PreparedQuery = {
  name: 'import-job-lines-insert',
  text: `
    insert into import_job_line (job_id, line, state, number, errors, warnings, errors_omitted, warnings_omitted, key, claims_key, revision)
    select $1, l.* from unnest(
      $2::integer[], $3::text[], $4::text[], $5::jsonb[], $6::jsonb[], $7::integer[], $8::integer[], $9::text[], $10::boolean[], $11::integer[]) l`,
};

const MARK_PAGE: PreparedQuery = {
  name: 'import-job-page-processed',
  // `offset 0` keeps the subquery separate. If it were joined, a plan made while the table was empty would read all lines of the job.
  text: `
    update import_job_page p set judged_lines = p.judged_lines + $3, is_judged = p.judged_lines + $3 >= p.lines,
      not_before = now() + make_interval(secs => $4),
      is_done = p.judged_lines + $3 >= p.lines and not exists (${STAGED_LINES})
    where p.upload_id = $1 and p.upload_page = $2`,
};

/**
 * Stores the results of lines of a page.
 * @param waitSeconds time until the other lines of the page are retried; null if no line waits
 */
export async function storeLines(
  em: EntityManager,
  jobId: string,
  page: PageToValidate,
  lines: readonly FinishedLine[],
  waitSeconds: number | null,
): Promise<void> {
  if (lines.length > 0) {
    await run(em, INSERT_LINES, [
      jobId,
      ...columnsOf(lines),
      lines.map(({ key }) => key ?? null),
      lines.map(({ claimsKey }) => claimsKey ?? false),
      lines.map(({ outcome }) => (outcome.kind === 'staged' ? outcome.revision : null)),
    ]);
  }
  await markPage(em, page, lines.length, waitSeconds);
}

/** Updates the state of a page after its lines. @param validated the number of newly validated lines */
export async function markPage(
  em: EntityManager,
  { uploadId, uploadPage }: Pick<PageToValidate, 'uploadId' | 'uploadPage'>,
  validated: number,
  waitSeconds: number | null = null,
): Promise<void> {
  await run(em, MARK_PAGE, [uploadId, uploadPage, validated, waitSeconds]);
}

/**
 * The columns of outcomes: line, state, number, errors, warnings, and the numbers of omitted errors and warnings.
 * @param earlier warnings that lines already have
 */
export function columnsOf(
  lines: readonly FinishedLine[],
  earlier?: ReadonlyMap<number, readonly unknown[]>,
): unknown[] {
  const errors = lines.map(({ outcome }) => faultsOf(outcome));
  const warnings = lines.map(({ line, outcome }) => [...(earlier?.get(line) ?? []), ...(outcome.warnings ?? [])]);
  return [
    lines.map(({ line }) => line),
    lines.map(({ outcome }) => outcome.kind),
    lines.map(({ outcome }) => (outcome.kind === 'succeeded' ? (outcome.number ?? null) : null)),
    errors.map(storedJson),
    warnings.map(storedJson),
    errors.map(omittedOf),
    warnings.map(omittedOf),
  ];
}

/** Most errors, and most warnings, stored per line: a line of a few kilobytes may have a thousand. */
const FAULTS_STORED = 50;

/** The number of errors or warnings that are not stored; null if all are. */
function omittedOf(list: readonly unknown[]): number | null {
  return list.length > FAULTS_STORED ? list.length - FAULTS_STORED : null;
}

/** The first errors or warnings as JSON; characters that Postgres cannot store are replaced. Null for an empty list. */
function storedJson(faults: readonly unknown[]): string | null {
  if (faults.length === 0) return null;
  const list = faults.slice(0, FAULTS_STORED);
  const text = JSON.stringify(list);
  return /\\u(0000|d[89a-f])/i.test(text)
    ? JSON.stringify(list, (_name, value: unknown) => (typeof value === 'string' ? storableText(value) : value))
    : text;
}
