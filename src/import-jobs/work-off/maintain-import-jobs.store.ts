import type { Database } from '../../platform/database/database.ts';
import { writeEventsSql } from '../../events/index.ts';
import { run, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import type { Settings } from '../../platform/settings.ts';
import { forgetQuarantined } from '../results/import-job-cause.store.ts';
import { deleteAbandonedPages } from '../import-job-page.store.ts';

/** Lines checked in one round. */
const CHECKED_LINES_MAX = 1_000;
/** Time limit of the deletions of one round; the next round continues. */
const DELETES_MS = 5_000;
/** An open job that is not started expires after this number of days. */
const OPEN_DAYS = 7;

const CREATED_LATE: PreparedQuery = {
  name: 'import-job-lines-created-late',
  text: `
    select l.job_id as "jobId", l.line, a.number
    from import_job_line l join import_job j on j.id = l.job_id
      join account a on a.import_supplier = j.import_supplier and a.external_account_number = l.key
    where l.state = 'quarantined' limit $1`,
};

const SUCCEED: PreparedQuery = {
  name: 'import-job-lines-succeed-late',
  text: `
    with done as (
      update import_job_line l set state = 'succeeded', number = n.number, errors = null
      from unnest($2::integer[], $3::text[]) as n (line, number)
      where l.job_id = $1 and l.line = n.line and l.state = 'quarantined' returning 1)
    update import_job set succeeded = succeeded + (select count(*) from done), failed = failed - (select count(*) from done)
    where id = $1 returning (select count(*)::integer from done) as lines`,
};

const EXPIRE: PreparedQuery = {
  name: 'import-jobs-expire',
  text: `
    with expired as (
      update import_job set status = 'EXPIRED', paused_because = null, paused_at = null, ended_at = now()
      where (status = 'OPEN' and created_at < now() - make_interval(days => $1)) or (status = 'PAUSED' and paused_at < now() - make_interval(days => $2))
      returning id, import_supplier, organisation)
    ${writeEventsSql("select import_supplier, organisation, 'job.expired.v1', 'jobs/' || id, jsonb_build_object('job_id', id) from expired")}`,
};

/** How the uploads, or the results, of ended jobs are deleted. */
interface Deletion {
  find: PreparedQuery;
  deleteSome: PreparedQuery;
  atOnce: number;
  /** Marks the job once everything is deleted. */
  mark: PreparedQuery;
}

/** Finds jobs that ended at least `$1` days ago and are not marked as deleted, oldest first. */
const endedWith = (name: string, column: string): PreparedQuery => ({
  name,
  text: `select id from import_job where ended_at < now() - make_interval(days => $1) and ${column} is null order by ended_at limit 100`,
});

const PARTS: Deletion = {
  // A cancelled job keeps its parts for 30 minutes, so that its unprocessed records can be downloaded.
  find: {
    name: 'import-jobs-with-parts',
    text: `
      select id from import_job
      where parts_deleted_at is null and (ended_at < now() - make_interval(days => $1) or (status = 'CANCELLED' and ended_at < now() - interval '30 minutes'))
      order by ended_at limit 100`,
  },
  // Pages of a job of selection `staged` have the id of the job as their upload id.
  deleteSome: {
    name: 'import-job-pages-delete-some',
    text: `
      delete from import_job_page where (upload_id, upload_page) in (
        select p.upload_id, p.upload_page
        from (select upload_id from import_job_part where job_id = $1 union all select $1::uuid) t join import_job_page p on p.upload_id = t.upload_id
        limit $2) returning 1`,
  },
  atOnce: 200,
  mark: {
    name: 'import-job-parts-delete',
    text: `
      with gone as (delete from import_job_part where job_id = $1)
      update import_job set parts_deleted_at = now() where id = $1`,
  },
};
const RESULTS: Deletion = {
  find: endedWith('import-jobs-with-results', 'results_deleted_at'),
  deleteSome: {
    name: 'import-job-lines-delete-some',
    text: 'delete from import_job_line where (job_id, line) in (select job_id, line from import_job_line where job_id = $1 limit $2) returning 1',
  },
  atOnce: 5_000,
  // The sender chose the names of unknown members, so they may contain a person's name.
  mark: {
    name: 'import-job-results-deleted',
    text: `
      with named as (delete from import_job_cause where job_id = $1 and code = 'unknown_member' and place <> '*' returning *),
        causes as (
          insert into import_job_cause as known (job_id, code, place, is_warning, records, alone, example_line)
          select job_id, code, '*', is_warning, sum(records), sum(alone), min(example_line) from named group by job_id, code, is_warning
          on conflict (job_id, code, place, is_warning) do update
          set records = known.records + excluded.records, alone = known.alone + excluded.alone,
            example_line = least(known.example_line, excluded.example_line), example_value = null)
      update import_job set results_deleted_at = now() where id = $1`,
  },
};

/**
 * Returns the periodic maintenance of import jobs, which the dispatcher runs: marks lines as succeeded whose quarantined account was
 * created, expires open and paused jobs, and deletes expired uploads and results in small steps.
 */
export function maintainImportJobs(
  database: Database,
  settings: Pick<Settings, 'JOB_PARTS_KEPT_DAYS' | 'JOB_PAUSED_DAYS' | 'JOB_RESULTS_KEPT_DAYS'>,
): () => Promise<void> {
  return async () => {
    await completeLateLines(database);
    await run(database, EXPIRE, [OPEN_DAYS, settings.JOB_PAUSED_DAYS]);
    await deleteAbandonedPages(database);
    const until = performance.now() + DELETES_MS;
    await deleteOf(database, PARTS, settings.JOB_PARTS_KEPT_DAYS, until);
    await deleteOf(database, RESULTS, settings.JOB_RESULTS_KEPT_DAYS, until);
  };
}

async function completeLateLines(database: Database): Promise<void> {
  const created = await run<{ jobId: string; line: number; number: string }>(database, CREATED_LATE, [
    CHECKED_LINES_MAX,
  ]);
  for (const [jobId, lines] of Map.groupBy(created, (line) => line.jobId)) {
    await database.transaction(async (em) => {
      const [done] = await run<{ lines: number }>(em, SUCCEED, [
        jobId,
        lines.map(({ line }) => line),
        lines.map(({ number }) => number),
      ]);
      if (done !== undefined && done.lines > 0) await forgetQuarantined(em, jobId, done.lines);
    });
  }
}

async function deleteOf(database: Database, deletion: Deletion, days: number, until: number): Promise<void> {
  for (const { id } of await run<{ id: string }>(database, deletion.find, [days])) {
    let deleted = deletion.atOnce;
    while (deleted === deletion.atOnce) {
      if (performance.now() > until) return;
      deleted = (await run(database, deletion.deleteSome, [id, deletion.atOnce])).length;
    }
    await run(database, deletion.mark, [id]);
  }
}
