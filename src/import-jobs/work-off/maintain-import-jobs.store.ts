import { raw } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import { run, type PreparedQuery, propertiesOf } from '../../platform/database/prepared-query.ts';
import type { Settings } from '../../platform/settings.ts';
import { ImportJob, ImportJobPart, type ImportJobTables } from '../import-job.entity.ts';
import { deleteAbandonedPages, deletePagesOfJob } from '../import-job-page.store.ts';
import { expireJobs } from '../import-job.store.ts';

/** Lines checked in one round. */
const CHECKED_LINES_MAX = 1_000;
/** Time limit of the deletions of one round; the next round continues. */
const DELETES_MS = 5_000;
/** An open job that is not started expires after this number of days. */
const OPEN_DAYS = 7;

/** Marks quarantined lines as succeeded whose account exists, and corrects the counts of their jobs and causes, in the order of a page. */
const COMPLETE_LATE: PreparedQuery = {
  name: 'import-job-lines-complete-late',
  text: `
    with created as materialized (
      select l.job_id, l.line, a.number
      from import_job_line l join import_job j on j.id = l.job_id
        join account a on a.import_supplier = j.import_supplier and a.external_account_number = l.key
      where l.state = 'quarantined' limit $1),
    done as (
      update import_job_line l set state = 'succeeded', number = c.number, errors = null from created c
      where l.job_id = c.job_id and l.line = c.line and l.state = 'quarantined' returning l.job_id),
    counts as (select job_id, count(*)::integer as lines from done group by job_id),
    jobs as (
      update import_job j set succeeded = j.succeeded + c.lines, failed = j.failed - c.lines from counts c where j.id = c.job_id
      returning j.id, c.lines)
    update import_job_cause k set records = k.records - j.lines, alone = k.alone - j.lines from jobs j
    where k.job_id = j.id and k.code = 'quarantined' and not k.is_warning`,
};

// The sender chose the names of unknown members, so they may contain a person's name.
const FORGET_NAMES: PreparedQuery = {
  name: 'import-job-causes-forget-names',
  text: `
    with named as (delete from import_job_cause where job_id = $1 and code = 'unknown_member' and place <> '*' returning *)
    insert into import_job_cause as known (job_id, code, place, is_warning, records, alone, example_line)
    select job_id, code, '*', is_warning, sum(records), sum(alone), min(example_line) from named group by job_id, code, is_warning
    on conflict (job_id, code, place, is_warning) do update
    set records = known.records + excluded.records, alone = known.alone + excluded.alone,
      example_line = least(known.example_line, excluded.example_line), example_value = null`,
};

/** Pages that one statement deletes. */
const PAGES_AT_ONCE = 200;
/** Lines that one statement scans for texts. */
const LINES_AT_ONCE = 10_000;

/**
 * Returns the periodic maintenance of import jobs, which the dispatcher runs: marks lines as succeeded whose quarantined account was
 * created, expires open and paused jobs, and deletes expired uploads and results in small steps. Of results only lines with texts are
 * deleted, which may repeat personal data; the others are dropped with the partition of their month.
 */
export function maintainImportJobs(
  database: Database,
  settings: Pick<Settings, 'JOB_PARTS_KEPT_DAYS' | 'JOB_PAUSED_DAYS' | 'JOB_RESULTS_KEPT_DAYS'>,
): () => Promise<void> {
  return async () => {
    await database.transaction((em) => run(em, COMPLETE_LATE, [CHECKED_LINES_MAX]));
    await expireJobs(database, OPEN_DAYS, settings.JOB_PAUSED_DAYS);
    await deleteAbandonedPages(database);
    const until = performance.now() + DELETES_MS;
    for (const id of await findEnded(database, 'partsDeletedAt', settings.JOB_PARTS_KEPT_DAYS)) {
      do {
        if (performance.now() > until) return;
      } while ((await deletePagesOfJob(database, id, PAGES_AT_ONCE)) === PAGES_AT_ONCE);
      await database.transaction(async (em) => {
        await em.nativeDelete(ImportJobPart, { jobId: id });
        await em.nativeUpdate(ImportJob, { id }, { partsDeletedAt: raw('now()') });
      });
    }
    for (const id of await findEnded(database, 'resultsDeletedAt', settings.JOB_RESULTS_KEPT_DAYS)) {
      const last = await findLastLine(database, id);
      for (let line = 0; line < last; line += LINES_AT_ONCE) {
        if (performance.now() > until) return;
        await deleteTexts(database, id, line);
      }
      await database.transaction(async (em) => {
        await run(em, FORGET_NAMES, [id]);
        await em.nativeUpdate(ImportJob, { id }, { resultsDeletedAt: raw('now()') });
      });
    }
    await sql`select drop_old_job_lines()`.execute(propertiesOf(database));
  };
}

/** Finds jobs that ended a number of days ago and are not marked as deleted, oldest first. */
async function findEnded(
  database: Database,
  mark: 'partsDeletedAt' | 'resultsDeletedAt',
  days: number,
): Promise<string[]> {
  const jobs = await propertiesOf<ImportJobTables>(database)
    .selectFrom('import_job')
    .select('id')
    .where(mark, 'is', null)
    .where(({ and, eb, or }) =>
      or([
        eb('endedAt', '<', sql<Date>`now() - make_interval(days => ${days})`),
        // A cancelled job keeps its parts for 30 minutes, so that its unprocessed records can be downloaded.
        ...(mark === 'partsDeletedAt'
          ? [and([eb('status', '=', 'CANCELLED'), eb('endedAt', '<', sql<Date>`now() - interval '30 minutes'`)])]
          : []),
      ]),
    )
    .orderBy('endedAt')
    .limit(100)
    .execute();
  return jobs.map(({ id }) => id);
}

/** The last line of a job with an outcome; 0 without any. */
async function findLastLine(database: Database, jobId: string): Promise<number> {
  const last = await propertiesOf<ImportJobTables>(database)
    .selectFrom('import_job_line')
    .select((of) => of.fn.max<number | null>('line').as('line'))
    .where('jobId', '=', jobId)
    .executeTakeFirst();
  return last?.line ?? 0;
}

/** Deletes those of the next lines of a job that have errors or warnings. */
async function deleteTexts(database: Database, jobId: string, after: number): Promise<void> {
  await propertiesOf<ImportJobTables>(database)
    .deleteFrom('import_job_line')
    .where('jobId', '=', jobId)
    .where('line', '>', after)
    .where('line', '<=', after + LINES_AT_ONCE)
    .where(({ eb, or }) => or([eb('errors', 'is not', null), eb('warnings', 'is not', null)]))
    .execute();
}
