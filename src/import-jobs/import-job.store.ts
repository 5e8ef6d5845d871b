import type { EntityManager } from '@mikro-orm/postgresql';
import { workflowIds } from '../../temporal.config.ts';
import { type NewEvent, writeEvents } from '../events/index.ts';
import { type PreparedQuery, type Queryable, run } from '../platform/database/prepared-query.ts';
import type { AuthenticatedRequest, Caller } from '../platform/http/route.ts';
import { completeWork, type WorkItem, workItemIdSql } from '../platform/work-items/work-item.store.ts';
import { hasEnded, type StateChange } from './import-job.rules.ts';
import { refuse, type Refused } from '../vocabulary/refusals.ts';
import type { ImportJobStatus } from '../vocabulary/import-jobs.ts';
import { ImportJob, type ImportJobRecord, type NewImportJob } from './import-job.entity.ts';
import {
  type UnfinishedRow,
  unfinishedState,
  type UnfinishedState,
} from '../platform/work-items/compared-work.store.ts';
import { isUuid } from '../vocabulary/wire-forms.ts';

type JobRow = ImportJobRecord & Record<string, unknown>;

/** The organisation and import suppliers whose jobs the caller may see; undefined for operators and the service itself, which see all jobs. */
export type JobViewer = Pick<Caller, 'organisation' | 'importSuppliers'>;

// The rate covers the current and the previous window; without progress it decays.
const COLUMNS = `
  j.id, j.import_supplier as "importSupplier", j.organisation, j.api_key_id as "apiKeyId", j.kind, j.goal, j.selection, j.name,
  j.operations_team as "operationsTeam", j.options, j.status, j.paused_because as "pausedBecause", j.is_canary_passed as "isCanaryPassed",
  j.failures_accepted as "failuresAccepted", j.is_listed as "isListed", j.accepted, j.judged, j.staged, j.succeeded, j.failed, j.warned,
  j.created_at as "createdAt", j.started_at as "startedAt", j.ended_at as "endedAt",
  case when j.status not in ('VALIDATING', 'RUNNING') then 0
    when clock_timestamp() - j.window_at < interval '30 seconds'
      then (j.earlier_count + j.window_count) / greatest(1, extract(epoch from clock_timestamp() - j.earlier_at))
    else j.window_count / extract(epoch from clock_timestamp() - j.window_at) end::float8 as "linesPerSecond"`;
const SEEN = '($2::text is null or (j.organisation = $2 and j.import_supplier = any($3::text[])))';

const FIND: PreparedQuery = {
  name: 'import-job-find',
  text: `select ${COLUMNS} from import_job j where j.id = $1 and ${SEEN}`,
};
const LOCK: PreparedQuery = { name: 'import-job-lock', text: `${FIND.text} for no key update` };
const NEWEST: PreparedQuery = {
  name: 'import-jobs-newest',
  text: `
    select ${COLUMNS} from import_job j
    where j.id < coalesce($1::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff') and ${SEEN} and ($4::text is null or j.import_supplier = $4)
      and ($5::text is null or j.status = $5)
    order by j.id desc limit $6`,
};

const UNDER_WAY: PreparedQuery = {
  name: 'import-jobs-under-way',
  text: `
    select ${COLUMNS} from import_job j where j.status in ('VALIDATING', 'RUNNING', 'PAUSED') order by j.id desc limit $1`,
};

const viewerValues = (viewer: JobViewer | undefined) => [
  viewer?.organisation ?? null,
  [...(viewer?.importSuppliers ?? [])],
];

/** Finds a job, if the viewer may see it. */
export async function findJob(on: Queryable, jobId: string, viewer?: JobViewer): Promise<ImportJobRecord | undefined> {
  const [job] = await run<JobRow>(on, FIND, [jobId, ...viewerValues(viewer)]);
  return job;
}

/** Finds a job and locks its row until the transaction ends. Required before a change of status or counts. */
export async function lockJob(
  em: EntityManager,
  jobId: string,
  viewer?: JobViewer,
): Promise<ImportJobRecord | undefined> {
  const [job] = await run<JobRow>(em, LOCK, [jobId, ...viewerValues(viewer)]);
  return job;
}

/** Lists the newest jobs; with `before`, the newest jobs older than that job. */
export async function findNewestJobs(
  on: Queryable,
  wanted: {
    before?: string | undefined;
    importSupplier?: string | undefined;
    status?: string | undefined;
    limit: number;
  },
  viewer?: JobViewer,
): Promise<ImportJobRecord[]> {
  return run<JobRow>(on, NEWEST, [
    wanted.before ?? null,
    ...viewerValues(viewer),
    wanted.importSupplier ?? null,
    wanted.status ?? null,
    wanted.limit,
  ]);
}

/** The rate is measured from the start or the last resume of a job. */
const STARTS_NOW = "status in ('OPEN', 'PAUSED') and $2 in ('VALIDATING', 'RUNNING')";
const CHANGE: PreparedQuery = {
  name: 'import-job-change',
  text: `
    update import_job set status = $2, paused_because = $3, is_canary_passed = $4, failures_accepted = $5,
      started_at = coalesce(started_at, case when $2 not in ('OPEN', 'CANCELLED', 'EXPIRED') then now() end),
      paused_at = case when $2 = 'PAUSED' then coalesce(paused_at, now()) end, api_key_id = $7,
      ended_at = case when $6 then now() end,
      window_at = case when ${STARTS_NOW} then clock_timestamp() else window_at end,
      window_count = case when ${STARTS_NOW} then 0 else window_count end,
      earlier_at = case when ${STARTS_NOW} then clock_timestamp() else earlier_at end,
      earlier_count = case when ${STARTS_NOW} then 0 else earlier_count end
    where id = $1 returning started_at as "startedAt", ended_at as "endedAt"`,
};

/**
 * Changes the status of a job that the transaction has locked (`lockJob`), and writes the event. If the job ends, completes its work item.
 * @returns the changed job
 */
export async function changeJob(
  em: EntityManager,
  job: ImportJobRecord,
  change: StateChange & Partial<Pick<ImportJobRecord, 'apiKeyId'>>,
): Promise<ImportJobRecord> {
  const changed = { ...job, ...change };
  const [times] = await run<Pick<ImportJobRecord, 'startedAt' | 'endedAt'>>(em, CHANGE, [
    job.id,
    changed.status,
    changed.pausedBecause,
    changed.isCanaryPassed,
    changed.failuresAccepted,
    hasEnded(changed.status),
    changed.apiKeyId,
  ]);
  if (hasEnded(changed.status)) await completeWork(em, [workflowIds.importJob(job.id)]);
  await writeEvents(em, eventOf(changed));
  return { ...changed, ...times };
}

/** The event of a change of status; a job that is still open has none. */
function eventOf({ id, importSupplier, organisation, status, pausedBecause }: ImportJobRecord): NewEvent[] {
  if (status === 'OPEN') return [];
  const type = `job.${status.toLowerCase() as Lowercase<typeof status>}.v1` as const;
  const data = { job_id: id, ...(pausedBecause === null ? {} : { paused_because: pausedBecause }) };
  return [{ importSupplier, organisation, type, subject: `jobs/${id}`, data }];
}

/** The work item of a started job, which exists until the job has ended. */
export function jobWorkItem({ id, importSupplier }: Pick<ImportJobRecord, 'id' | 'importSupplier'>): WorkItem {
  return { workflowId: workflowIds.importJob(id), kind: 'import-job', input: { jobId: id, importSupplier } };
}

const NUMBER_PAGES: PreparedQuery = {
  name: 'import-job-number-pages',
  // Lines are numbered as in an editor, blank ones included; a page without records gets no number.
  text: `
    with numbered as (
      select p.upload_id, p.upload_page, p.lines,
        sum((p.lines > 0)::integer) over pages as number,
        1 + sum(p.physical_lines) over pages - p.physical_lines as first_line
      from import_job_part t join import_job_page p on p.upload_id = t.upload_id
      where t.job_id = $1 window pages as (order by t.part, p.upload_page)
    ), pages as (
      update import_job_page p set number = n.number, first_line = n.first_line from numbered n
      where p.upload_id = n.upload_id and p.upload_page = n.upload_page and n.lines > 0
    )
    update import_job set accepted = (select coalesce(sum(lines), 0) from numbered) where id = $1 returning accepted`,
};

/**
 * Numbers the pages and lines of a job over all its parts, when the job is started.
 * @returns the number of accepted records
 */
export async function numberPages(em: EntityManager, jobId: string): Promise<number> {
  const [job] = await run<{ accepted: number }>(em, NUMBER_PAGES, [jobId]);
  return job?.accepted ?? 0;
}

/** Lists the newest jobs of all import suppliers that were started and have not ended. */
export async function findJobsUnderWay(on: Queryable, limit: number): Promise<ImportJobRecord[]> {
  return run<JobRow>(on, UNDER_WAY, [limit]);
}

const NOT_ENDED: ImportJobStatus[] = ['OPEN', 'VALIDATING', 'RUNNING', 'PAUSED'];
/** Most jobs of an organisation that have not ended. */
const NOT_ENDED_MAX = 100;
const NOT_ENDED_RETRY_SECONDS = 60;
const LOCK_ORGANISATION: PreparedQuery = {
  name: 'import-jobs-lock-organisation',
  text: `select pg_advisory_xact_lock(hashtextextended('import-jobs/' || $1, 0))`,
};
/**
 * Stores a new job.
 * @returns a refusal if the organisation has too many jobs that have not ended
 */
export async function insertJob(em: EntityManager, job: NewImportJob): Promise<Refused | undefined> {
  await run(em, LOCK_ORGANISATION, [job.organisation]);
  const notEnded = { organisation: job.organisation, partsDeletedAt: null, status: { $in: NOT_ENDED } };
  if ((await em.count(ImportJob, notEnded)) >= NOT_ENDED_MAX) {
    return refuse('throttled', {
      detail: `Your organization has ${NOT_ENDED_MAX} import jobs that have not ended. Cancel jobs that are not needed, or wait until some have ended.`,
      retryAfterSeconds: NOT_ENDED_RETRY_SECONDS,
    });
  }
  await em.insert(ImportJob, { ...job, status: 'OPEN' });
  return undefined;
}

const UNFINISHED: PreparedQuery = {
  name: 'import-jobs-unfinished',
  text: `
    select j.id as key, j.import_supplier as "importSupplier", j.started_at as since,
      (${workItemIdSql(`'${workflowIds.importJob('')}' || j.id`)}) is not null as "hasWork"
    from import_job j where j.status in ('VALIDATING', 'RUNNING', 'PAUSED') and j.id > $1::uuid order by j.id limit $2`,
};

/** Lists jobs that were started and have not ended, after the id `after`. */
export async function findUnfinishedJobs(on: Queryable, after: string, limit: number): Promise<UnfinishedState[]> {
  type Row = UnfinishedRow & { importSupplier: string };
  const rows = await run<Row>(on, UNFINISHED, [after, limit]);
  return rows.map(unfinishedState<Row>(({ key, importSupplier }) => jobWorkItem({ id: key, importSupplier })));
}

/** Highest number of a part. */
export const PARTS_MAX = 10_000;

/** Whether a string can be the id of a job. */
export function isJobId(text: string): boolean {
  return isUuid(text);
}

/** Reads the part number in a path. @returns undefined if it is not a valid number */
export function partNumberIn(text: string): number | undefined {
  const part = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 0;
  return part >= 1 && part <= PARTS_MAX ? part : undefined;
}

/** The refusal for a job that does not exist or that the caller may not see. */
export function unknownJob(): Refused {
  return refuse('import_job_not_found');
}

/**
 * Finds the job in the path (`:job`), if the caller may see it.
 * @param viewer the caller on supplier paths, of any role; undefined on operator paths, which record reads of personal data in the audit
 */
export async function findJobOfRequest(
  on: Queryable,
  { params }: Pick<AuthenticatedRequest, 'params'>,
  viewer: JobViewer | undefined,
): Promise<ImportJobRecord | Refused> {
  const id = params['job'] ?? '';
  const job = isJobId(id) ? await findJob(on, id, viewer) : undefined;
  return job ?? unknownJob();
}
