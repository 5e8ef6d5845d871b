import { raw } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { run, type PreparedQuery, propertiesOf, type Queryable } from '../../platform/database/prepared-query.ts';
import { storableText } from '../../platform/database/storable-text.rules.ts';
import { ImportJob, ImportJobLine, type ImportJobTables } from '../import-job.entity.ts';
import { LINES_MAX } from '../import-job.schema.ts';
import { lockJob } from '../import-job.store.ts';
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
const STAGED_LINES = `select from import_job_line l
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
async function markPage(
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
function columnsOf(lines: readonly FinishedLine[], earlier?: ReadonlyMap<number, readonly unknown[]>): unknown[] {
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

/** A page with staged accounts that are not created yet. */
export interface PageToCreate extends Record<string, unknown> {
  uploadId: string;
  uploadPage: number;
  firstLine: number;
  physicalLines: number;
}

const LOCK_NEXT: PreparedQuery = {
  name: 'import-job-page-to-create',
  text: `
    select p.upload_id as "uploadId", p.upload_page as "uploadPage", p.first_line as "firstLine", p.physical_lines as "physicalLines"
    from import_job_page p
    where p.job_id = $1 and p.number is not null and not p.is_done and p.judged_lines > 0 and exists (${STAGED_LINES})
    order by p.number limit 1 for no key update of p skip locked`,
};

/** Locks the first page with staged lines that is not locked by another worker, until the transaction ends. */
export async function lockPageToCreate(em: EntityManager, jobId: string): Promise<PageToCreate | undefined> {
  const [page] = await run<PageToCreate>(em, LOCK_NEXT, [jobId]);
  return page;
}

/** A line whose account is staged; the key is its external number. */
export interface StagedLine extends Record<string, unknown> {
  line: number;
  key: string;
}

const FIND_STAGED: PreparedQuery = {
  name: 'import-job-lines-staged',
  text: `select line, key from import_job_line where job_id = $1 and line >= $2 and line < $3 and state = 'staged' order by line limit $4`,
};

/** Lists the first lines of a page whose accounts are not created yet. */
export async function findStagedLines(
  em: EntityManager,
  jobId: string,
  page: PageToCreate,
  limit: number,
): Promise<StagedLine[]> {
  return run<StagedLine>(em, FIND_STAGED, [jobId, page.firstLine, page.firstLine + page.physicalLines, limit]);
}

const FIND_REPLACED: PreparedQuery = {
  name: 'import-job-lines-replaced',
  // `offset 0` keeps the subqueries separate: a plan made while the tables were empty would otherwise read all rows.
  text: `
    select l.line, l.warnings
    from (
      select line, key, revision, warnings from import_job_line where job_id = $1 and line = any($3::integer[]) and revision is not null offset 0) l
      cross join lateral (
        select id, revision, payload_hash from import_process where import_supplier = $2 and external_account_number = l.key offset 0) p
    where p.revision <> l.revision and p.payload_hash is distinct from
      (select r.payload_hash from import_process_revision r where r.import_process_id = p.id and r.revision = l.revision)`,
};

/**
 * Finds the lines whose account was staged again with other data, and their warnings. Call it after the creation in the same transaction,
 * when the accounts can no longer be staged.
 */
export async function findReplacedLines(
  em: EntityManager,
  { id, importSupplier }: { id: string; importSupplier: string },
  lines: readonly number[],
): Promise<Map<number, readonly unknown[]>> {
  if (lines.length === 0) return new Map();
  const rows = await run<{ line: number; warnings: unknown[] | null }>(em, FIND_REPLACED, [id, importSupplier, lines]);
  return new Map(rows.map(({ line, warnings }) => [line, warnings ?? []]));
}

// The lines are passed twice: a plan made while the table was empty would otherwise read all lines of the job for each page.
const UPDATE_LINES: PreparedQuery = {
  name: 'import-job-lines-created',
  text: `
    update import_job_line l set state = c.state, number = c.number, errors = c.errors, warnings = coalesce(c.warnings, l.warnings),
      errors_omitted = c.errors_omitted, warnings_omitted = coalesce(c.warnings_omitted, l.warnings_omitted)
    from unnest($2::integer[], $3::text[], $4::text[], $5::jsonb[], $6::jsonb[], $7::integer[], $8::integer[])
      as c (line, state, number, errors, warnings, errors_omitted, warnings_omitted)
    where l.job_id = $1 and l.line = any($2::integer[]) and l.line = c.line and l.state = 'staged'`,
};

/**
 * Stores the outcomes of staged lines of a page that the transaction has locked. Lines without new warnings keep their warnings.
 * @param earlier warnings that lines with new warnings already have
 */
export async function storeCreatedLines(
  em: EntityManager,
  jobId: string,
  page: PageToCreate,
  lines: readonly FinishedLine[],
  earlier: ReadonlyMap<number, readonly unknown[]>,
): Promise<void> {
  await run(em, UPDATE_LINES, [jobId, ...columnsOf(lines, earlier)]);
  await markPage(em, page, 0);
}

/** Lines per page of a job over staged accounts, and pages listed in one transaction. */
const LINES_OF_PAGE = 250;
const PAGES_AT_ONCE = 20;

const listSql = (accounts: string) => `
    with found as materialized (
      select p.external_account_number as key, $2::integer + row_number() over (order by p.external_account_number) as line
      from (${accounts} order by 1 limit $5) p),
    lines as (
      insert into import_job_line (job_id, line, key, claims_key, state) select $4, line, key, false, 'staged' from found order by line),
    pages as (
      insert into import_job_page (upload_id, upload_page, job_id, physical_lines, lines, number, first_line, judged_lines, is_judged)
      select $4, n, $4, count(*), count(*), n, min(line), count(*), true
      from (select line, (line - 1) / $6::integer + 1 as n from found) l group by n order by n)
    select count(*)::integer as found from found`;

const LIST: PreparedQuery = {
  name: 'import-job-list-staged',
  text: listSql(`
        select external_account_number from import_process
        where import_supplier = $1 and imported_at is null and skipped_at is null and external_account_number > $3`),
};

const LIST_MEMBERS: PreparedQuery = {
  name: 'import-job-list-members',
  text: listSql(`
        select p.external_account_number from wave_account m join import_process p on p.id = m.import_process_id
        where m.wave_id = $7 and p.import_supplier = $1 and p.imported_at is null and p.skipped_at is null and p.external_account_number > $3
          and not exists (select from wave_exclusion e where e.wave_id = m.wave_id and e.record = p.external_account_number)`),
};

/**
 * Adds the next staged accounts of an import supplier, or of the job's wave, to a job as lines, in the order of their external numbers.
 * @returns the number of added lines, and whether the list is complete; undefined if the job no longer runs or its list was complete
 */
export async function listStaged(
  em: EntityManager,
  jobId: string,
): Promise<{ added: number; isWhole: boolean } | undefined> {
  const job = await lockJob(em, jobId);
  if (job === undefined || job.isListed || (job.status !== 'VALIDATING' && job.status !== 'RUNNING')) return undefined;
  const { accepted } = job;
  const last = accepted === 0 ? null : await em.findOne(ImportJobLine, { jobId, line: accepted });
  const limit = Math.min(LINES_OF_PAGE * PAGES_AT_ONCE, LINES_MAX - accepted);
  const values = [job.importSupplier, accepted, last?.key ?? '', jobId, limit, LINES_OF_PAGE];
  const [listed] = await (job.selection === 'wave'
    ? run<{ found: number }>(em, LIST_MEMBERS, [...values, job.waveId])
    : run<{ found: number }>(em, LIST, values));
  const added = listed?.found ?? 0;
  const isWhole = added < LINES_OF_PAGE * PAGES_AT_ONCE;
  const counts = { accepted: accepted + added, judged: job.judged + added, staged: job.staged + added };
  // The rate is measured from the end of the list: otherwise the estimated end of a job would be far too late at first.
  const rate = isWhole ? { windowAt: raw('clock_timestamp()'), earlierAt: raw('clock_timestamp()') } : {};
  await em.nativeUpdate(ImportJob, { id: jobId }, { ...counts, ...rate, isListed: isWhole });
  return { added, isWhole };
}
