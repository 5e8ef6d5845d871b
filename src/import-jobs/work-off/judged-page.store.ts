import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type PreparedQuery, type Queryable } from '../../platform/database/prepared-query.ts';
import { storableText } from '../../platform/database/storable-text.rules.ts';
import type { LineState } from '../../vocabulary/import-jobs.ts';

/** A page whose lines are to be judged. */
export interface PageToJudge extends Record<string, unknown> {
  uploadId: string;
  uploadPage: number;
  number: number;
  firstLine: number;
  physicalLines: number;
  /** Records in it, and those of them that were judged before. */
  lines: number;
  judgedLines: number;
  body: Buffer;
}

const FIND: PreparedQuery = {
  name: 'import-job-page-to-judge',
  text: `
    select upload_id as "uploadId", upload_page as "uploadPage", number, first_line as "firstLine", physical_lines as "physicalLines", lines,
      judged_lines as "judgedLines", body
    from import_job_page
    where job_id = $1 and number > $2 and not is_judged and (not_before is null or not_before <= now())
    order by number limit 1`,
};

/** The first page after a number whose lines are not all judged, unless it waits. */
export async function findPageToJudge(
  database: Queryable,
  jobId: string,
  after: number,
): Promise<PageToJudge | undefined> {
  const [page] = await run<PageToJudge>(database, FIND, [jobId, after]);
  return page;
}

const WAIT: PreparedQuery = {
  name: 'import-job-pages-wait',
  text: `
    select greatest(0, extract(epoch from min(not_before) - now()) * 1000)::float8 as "waitMs"
    from import_job_page where job_id = $1 and number is not null and not is_judged`,
};

/** Until the next page that waits may be tried. */
export async function findWaitMs(database: Queryable, jobId: string): Promise<number> {
  const [row] = await run<{ waitMs: number | null }>(database, WAIT, [jobId]);
  return row?.waitMs ?? 0;
}

const DONE_LINES: PreparedQuery = {
  name: 'import-job-lines-done',
  text: 'select line from import_job_line where job_id = $1 and line >= $2 and line < $3',
};

/** The lines of a page that were judged before: a canary ended within it, or an outside party was away. */
export async function findJudgedLines(database: Queryable, jobId: string, page: PageToJudge): Promise<Set<number>> {
  const rows = await run<{ line: number }>(database, DONE_LINES, [
    jobId,
    page.firstLine,
    page.firstLine + page.physicalLines,
  ]);
  return new Set(rows.map(({ line }) => line));
}

const LOCK: PreparedQuery = {
  name: 'import-job-page-lock',
  text: 'select judged_lines as "judgedLines" from import_job_page where upload_id = $1 and upload_page = $2 for no key update',
};

/** Locks a page, first of all in its transaction; false when somebody has judged lines of it since it was read. */
export async function lockPageToJudge(em: EntityManager, page: PageToJudge): Promise<boolean> {
  const [row] = await run<{ judgedLines: number }>(em, LOCK, [page.uploadId, page.uploadPage]);
  return row?.judgedLines === page.judgedLines;
}

const CLAIMED: PreparedQuery = {
  name: 'import-job-keys-claimed',
  // Asked so that only the index by key can serve: by job it would read all lines that were judged before, page after page.
  text: 'select key, line from import_job_line where job_id is not distinct from $1 and claims_key and key = any($2::text[])',
};

/** The keys that earlier lines of the job have claimed, with these lines. */
export async function findClaims(
  em: EntityManager,
  jobId: string,
  keys: readonly string[],
): Promise<Map<string, number>> {
  if (keys.length === 0) return new Map();
  const rows = await run<{ key: string; line: number }>(em, CLAIMED, [jobId, keys]);
  return new Map(rows.map(({ key, line }) => [key, line]));
}

/** A line as it is kept. */
export interface KeptLine {
  line: number;
  key: string | null;
  claimsKey: boolean;
  state: LineState;
  number: string | null;
  errors: readonly unknown[];
  warnings: readonly unknown[];
  /** Of the account as it was staged by the line. */
  revision: number | null;
}

const INSERT_LINES: PreparedQuery = {
  name: 'import-job-lines-insert',
  text: `
    insert into import_job_line (job_id, line, key, claims_key, state, number, errors, warnings, revision, errors_omitted, warnings_omitted)
    select $1, l.* from unnest(
      $2::integer[], $3::text[], $4::boolean[], $5::text[], $6::text[], $7::jsonb[], $8::jsonb[], $9::integer[], $10::integer[], $11::integer[]) l`,
};

const MARK_PAGE: PreparedQuery = {
  name: 'import-job-page-judged',
  text: `
    update import_job_page p set judged_lines = p.judged_lines + $3, is_judged = p.judged_lines + $3 >= p.lines,
      not_before = now() + make_interval(secs => $4),
      is_done = p.judged_lines + $3 >= p.lines and not exists (
        select from import_job_line l where l.job_id = p.job_id and l.line >= p.first_line and l.line < p.first_line + p.physical_lines and l.state = 'staged')
    where p.upload_id = $1 and p.upload_page = $2`,
};

/**
 * Keeps what became of lines of a page.
 * @param waitSeconds until the others of the page are tried again; null when none of them waits
 */
export async function keepLines(
  em: EntityManager,
  jobId: string,
  page: PageToJudge,
  lines: readonly KeptLine[],
  waitSeconds: number | null,
): Promise<void> {
  if (lines.length > 0) {
    await run(em, INSERT_LINES, [
      jobId,
      lines.map(({ line }) => line),
      lines.map(({ key }) => key),
      lines.map(({ claimsKey }) => claimsKey),
      lines.map(({ state }) => state),
      lines.map(({ number }) => number),
      lines.map(({ errors }) => storedJson(errors)),
      lines.map(({ warnings }) => storedJson(warnings)),
      lines.map(({ revision }) => revision),
      lines.map(({ errors }) => omittedOf(errors)),
      lines.map(({ warnings }) => omittedOf(warnings)),
    ]);
  }
  await run(em, MARK_PAGE, [page.uploadId, page.uploadPage, lines.length, waitSeconds]);
}

/** Errors and warnings that a line stores: a line of a few kilobytes may have a thousand. */
const FAULTS_STORED = 50;

/** The number of errors or warnings that are not stored; null if all are. */
export function omittedOf(list: readonly unknown[]): number | null {
  return list.length > FAULTS_STORED ? list.length - FAULTS_STORED : null;
}

/** The first errors or warnings as JSON that the database accepts: names from a sender may hold what it does not. Null for an empty list. */
export function storedJson(faults: readonly unknown[]): string | null {
  if (faults.length === 0) return null;
  const list = faults.slice(0, FAULTS_STORED);
  const text = JSON.stringify(list);
  return /\\u(0000|d[89a-f])/i.test(text)
    ? JSON.stringify(list, (_name, value: unknown) => (typeof value === 'string' ? storableText(value) : value))
    : text;
}
