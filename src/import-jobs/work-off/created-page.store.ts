import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import { ImportJob, ImportJobLine } from '../import-job.entity.ts';
import { LINES_MAX } from '../import-job.schema.ts';
import { lockJob } from '../import-job.store.ts';
import type { FinishedLine } from './line-kind.rules.ts';
import { columnsOf, markPage, STAGED_LINES } from './validated-page.store.ts';

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

/** A line whose account is staged. */
export interface StagedLine extends Record<string, unknown> {
  line: number;
  /** External account number. */
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

const LIST: PreparedQuery = {
  name: 'import-job-list-staged',
  text: `
    with found as materialized (
      select p.external_account_number as key, $2::integer + row_number() over (order by p.external_account_number) as line
      from (
        select external_account_number from import_process
        where import_supplier = $1 and imported_at is null and skipped_at is null and external_account_number > $3
        order by external_account_number limit $5) p),
    lines as (
      insert into import_job_line (job_id, line, key, claims_key, state) select $4, line, key, false, 'staged' from found order by line),
    pages as (
      insert into import_job_page (upload_id, upload_page, job_id, physical_lines, lines, number, first_line, judged_lines, is_judged)
      select $4, n, $4, count(*), count(*), n, min(line), count(*), true
      from (select line, (line - 1) / $6::integer + 1 as n from found) l group by n order by n)
    select count(*)::integer as found from found`,
};

/**
 * Adds the next staged accounts of an import supplier to a job as lines, in the order of their external numbers.
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
  const [listed] = await run<{ found: number }>(em, LIST, values);
  const added = listed?.found ?? 0;
  const isWhole = added < LINES_OF_PAGE * PAGES_AT_ONCE;
  const counts = { accepted: accepted + added, judged: job.judged + added, staged: job.staged + added };
  await em.nativeUpdate(ImportJob, { id: jobId }, { ...counts, isListed: isWhole });
  return { added, isWhole };
}
