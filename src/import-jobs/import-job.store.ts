import type { EntityManager, InferEntity, RequiredEntityData } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { workflowIds } from '../../temporal.config.ts';
import { type NewEvent, writeEvents } from '../events/index.ts';
import type { Database } from '../platform/database/database.ts';
import { type PreparedQuery, propertiesOf, type Queryable, run } from '../platform/database/prepared-query.ts';
import type { AuthenticatedRequest, Viewer } from '../platform/http/route.ts';
import { completeWork, type WorkItem } from '../platform/work-items/work-item.store.ts';
import { hasEnded, type StateChange } from './import-job.rules.ts';
import { refuse, type Refused } from '../vocabulary/refusals.ts';
import type { ImportJobStatus } from '../vocabulary/import-jobs.ts';
import { ImportJob, type ImportJobRecord, type ImportJobTables } from './import-job.entity.ts';
import { findUnfinishedOf, type UnfinishedState } from '../platform/work-items/compared-work.store.ts';
import { isUuid } from '../vocabulary/wire-forms.ts';

/** The organisation and import suppliers whose jobs the caller may see; undefined for operators and the service itself, which see all jobs. */
export type JobViewer = Viewer;

/** The rate covers the current and the previous window; without progress it decays. */
const LINES_PER_SECOND = sql<number>`
  case when j.status not in ('VALIDATING', 'RUNNING') then 0
    when clock_timestamp() - j.window_at < interval '30 seconds'
      then (j.earlier_count + j.window_count) / greatest(1, extract(epoch from clock_timestamp() - j.earlier_at))
    else j.window_count / extract(epoch from clock_timestamp() - j.window_at) end::float8`;

/** Selects the jobs that a viewer may see. */
function jobsOf(on: Queryable, viewer: JobViewer | undefined) {
  return propertiesOf<ImportJobTables>(on)
    .selectFrom('import_job as j')
    .selectAll('j')
    .select(LINES_PER_SECOND.as('linesPerSecond'))
    .$if(viewer !== undefined, (jobs) =>
      jobs.where('j.importSupplier', '=', (of) => of.fn.any(of.val([...viewer!.importSuppliers]))),
    )
    .$if(viewer?.organisation !== undefined, (jobs) => jobs.where('j.organisation', '=', viewer!.organisation!));
}

/** Finds a job, if the viewer may see it. */
export async function findJob(on: Queryable, jobId: string, viewer?: JobViewer): Promise<ImportJobRecord | undefined> {
  return jobsOf(on, viewer).where('j.id', '=', jobId).executeTakeFirst();
}

/** Finds a job and locks its row until the transaction ends. Required before a change of status or counts. */
export async function lockJob(
  em: EntityManager,
  jobId: string,
  viewer?: JobViewer,
): Promise<ImportJobRecord | undefined> {
  return jobsOf(em, viewer).where('j.id', '=', jobId).forNoKeyUpdate().executeTakeFirst();
}

/** Lists the newest jobs; with `before`, the newest jobs older than that job. */
export async function findNewestJobs(
  on: Queryable,
  wanted: {
    before?: string | undefined;
    importSupplier?: string | undefined;
    status?: ImportJobStatus | undefined;
    limit: number;
  },
  viewer?: JobViewer,
): Promise<ImportJobRecord[]> {
  const { before, importSupplier, status, limit } = wanted;
  return jobsOf(on, viewer)
    .$if(before !== undefined, (jobs) => jobs.where('j.id', '<', before!))
    .$if(importSupplier !== undefined, (jobs) => jobs.where('j.importSupplier', '=', importSupplier!))
    .$if(status !== undefined, (jobs) => jobs.where('j.status', '=', status!))
    .orderBy('j.id', 'desc')
    .limit(limit)
    .execute();
}

/** Records of accounts that an import supplier has uploaded to be stored. A record that was uploaded again counts again. */
export async function countUploadedAccounts(
  on: Queryable,
  importSupplier: string,
): Promise<{ received: number; failed: number }> {
  const sums = await propertiesOf<ImportJobTables>(on)
    .selectFrom('import_job')
    .select(({ fn }) => [
      fn.sum<string | null>('accepted').as('received'),
      fn.sum<string | null>('failed').as('failed'),
    ])
    .where('importSupplier', '=', importSupplier)
    .where('kind', '=', 'accounts')
    .where('selection', '=', 'uploaded')
    .where('goal', 'in', ['STAGE', 'CREATE'])
    .executeTakeFirst();
  return { received: Number(sums?.received ?? 0), failed: Number(sums?.failed ?? 0) };
}

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
  const { id, status, pausedBecause, isCanaryPassed, failuresAccepted, apiKeyId } = changed;
  const wasAtWork = job.status !== 'OPEN' && job.status !== 'PAUSED';
  const isAtWork = status === 'VALIDATING' || status === 'RUNNING';
  const now = sql<Date>`clock_timestamp()`;
  const times = await propertiesOf<ImportJobTables>(em)
    .updateTable('import_job')
    .set({
      status,
      pausedBecause,
      isCanaryPassed,
      failuresAccepted,
      apiKeyId,
      ...((isAtWork || status === 'PAUSED') && { startedAt: sql<Date>`coalesce(started_at, now())` }),
      pausedAt: status === 'PAUSED' ? sql<Date>`coalesce(paused_at, now())` : null,
      endedAt: hasEnded(status) ? sql<Date>`now()` : null,
      // The rate is measured from the start or the last resume.
      ...(isAtWork && !wasAtWork && { windowAt: now, windowCount: 0, earlierAt: now, earlierCount: 0 }),
    })
    .where('id', '=', id)
    .returning(['startedAt', 'endedAt'])
    .executeTakeFirst();
  if (hasEnded(status)) await completeWork(em, [workflowIds.importJob(id)]);
  await writeEvents(em, eventOf(changed));
  return { ...changed, ...times };
}

/** Expires jobs that were not started, or that have been paused, for a number of days. */
export async function expireJobs(database: Database, openDays: number, pausedDays: number): Promise<void> {
  const before = (days: number) => sql<Date>`now() - make_interval(days => ${days})`;
  await database.transaction(async (em) => {
    const expired = await propertiesOf<ImportJobTables>(em)
      .updateTable('import_job')
      .set({ status: 'EXPIRED', pausedBecause: null, pausedAt: null, endedAt: sql<Date>`now()` })
      .where(({ and, eb, or }) =>
        or([
          and([eb('status', '=', 'OPEN'), eb('createdAt', '<', before(openDays))]),
          and([eb('status', '=', 'PAUSED'), eb('pausedAt', '<', before(pausedDays))]),
        ]),
      )
      .returning(['id', 'importSupplier', 'organisation', 'status', 'pausedBecause'])
      .execute();
    await writeEvents(em, expired.flatMap(eventOf));
  });
}

/** The event of a change of status; a job that is still open has none. */
function eventOf({
  id,
  importSupplier,
  organisation,
  status,
  pausedBecause,
}: Pick<ImportJobRecord, 'id' | 'importSupplier' | 'organisation' | 'status' | 'pausedBecause'>): NewEvent[] {
  if (status === 'OPEN') return [];
  const type = `job.${status.toLowerCase() as Lowercase<typeof status>}.v1` as const;
  const data = { job_id: id, ...(pausedBecause === null ? {} : { paused_because: pausedBecause }) };
  return [{ importSupplier, organisation, type, subject: `jobs/${id}`, data }];
}

/** The work item of a started job, which exists until the job has ended. */
export function jobWorkItem({ id, importSupplier }: Pick<ImportJobRecord, 'id' | 'importSupplier'>): WorkItem {
  return { workflowId: workflowIds.importJob(id), kind: 'import-job', input: { jobId: id, importSupplier } };
}

/** The statuses of jobs that were started and have not ended. */
const STARTED: ImportJobStatus[] = ['VALIDATING', 'RUNNING', 'PAUSED'];

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
  return jobsOf(on, undefined).where('j.status', 'in', STARTED).orderBy('j.id', 'desc').limit(limit).execute();
}

/** Most paused jobs that are read at once. */
const PAUSED_READ_MAX = 1_000;

/** Lists paused jobs, newest first. */
export function findPausedJobs(on: Queryable) {
  return (
    propertiesOf<ImportJobTables>(on)
      .selectFrom('import_job')
      .select(['id', 'importSupplier', 'name', 'pausedBecause', 'pausedAt'])
      // A literal, because it has to match the condition of the index.
      .where('status', '=', sql.lit<ImportJobStatus>('PAUSED'))
      .orderBy('id', 'desc')
      .limit(PAUSED_READ_MAX)
      .execute()
  );
}

/** Most jobs of an organisation that have not ended. */
const NOT_ENDED_MAX = 100;
const NOT_ENDED_RETRY_SECONDS = 60;

/**
 * Stores a new job.
 * @returns a refusal if the organisation has too many jobs that have not ended
 */
export async function insertJob(
  em: EntityManager,
  job: Omit<RequiredEntityData<InferEntity<typeof ImportJob>>, 'status'> & { organisation: string },
): Promise<Refused | undefined> {
  const lock = `import-jobs/${job.organisation}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(propertiesOf(em));
  const { organisation } = job;
  const statuses: ImportJobStatus[] = ['OPEN', ...STARTED];
  if ((await em.count(ImportJob, { organisation, partsDeletedAt: null, status: { $in: statuses } })) >= NOT_ENDED_MAX) {
    return refuse('throttled', {
      detail: `Your organization has ${NOT_ENDED_MAX} import jobs that have not ended. Cancel jobs that are not needed, or wait until some have ended.`,
      retryAfterSeconds: NOT_ENDED_RETRY_SECONDS,
    });
  }
  await em.insert(ImportJob, { ...job, status: 'OPEN' });
  return undefined;
}

/** Lists jobs that were started and have not ended, after the id `after`. */
export function findUnfinishedJobs(on: Queryable, after: string, limit: number): Promise<UnfinishedState[]> {
  const workflowIdPrefix = workflowIds.importJob('');
  const started = { table: 'import_job', since: 'started_at', statuses: STARTED, workflowIdPrefix } as const;
  return findUnfinishedOf(on, { ...started, workOf: jobWorkItem }, after, limit);
}

/** Highest number of a part. */
export const PARTS_MAX = 10_000;

/** Reads the part number in a path. @returns undefined if it is not a valid number */
export function partNumberIn(text: string): number | undefined {
  const part = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 0;
  return part >= 1 && part <= PARTS_MAX ? part : undefined;
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
  const job = isUuid(id) ? await findJob(on, id, viewer) : undefined;
  return job ?? refuse('import_job_not_found');
}
