import type { EntityManager } from '@mikro-orm/postgresql';
import { workflowIds } from '../../../temporal.config.ts';
import { type CreationActivity, type CreationContext, findStagedCapacity } from '../../account-import/index.ts';
import { writeEventsSql } from '../../events/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import { type PreparedQuery, type Queryable, run } from '../../platform/database/prepared-query.ts';
import type { Log } from '../../platform/log.ts';
import { completeWork } from '../../platform/work-items/work-item.store.ts';
import type { DocumentCheck, KnownSupplier, SupplierDirectory } from '../../suppliers/index.ts';
import type { ImportJobKind } from '../../vocabulary/import-jobs.ts';
import type { ImportJobRecord } from '../import-job.entity.ts';
import { ENDED_BY_RESUME, hasEnded, type StateChange, statusAtWork } from '../import-job.rules.ts';
import { changeJob, findJob, lockJob } from '../import-job.store.ts';
import { readJobManifest } from '../manifest/manifest.store.ts';
import type { ManifestStep } from '../manifest/manifest-state.rules.ts';
import { recordCauses } from '../results/import-job-cause.store.ts';
import type { FinishedLine, LineKind, LineOutcome } from './line-kind.rules.ts';
import { type JobFacts, nextStep, type NextStep } from './next-step.rules.ts';

export interface WorkDeps {
  database: Database;
  suppliers: SupplierDirectory;
  documents: DocumentCheck;
  creation: CreationContext;
  lineKinds: Partial<Record<ImportJobKind, LineKind>>;
  /** Activity of single creations, which have priority over jobs. */
  activity: CreationActivity;
  /** Called with the counts of each committed page. */
  counted(kind: ImportJobKind, counts: Pick<JobCounts, 'succeeded' | 'failed'>): void;
  clock: Clock;
  log: Log;
}

/** The result of a step. */
export interface StepEnd {
  lines: number;
  /** Time until the next step has work to do. */
  waitMs: number;
}

/** A job in progress, with the facts that decide its next step. */
export interface WorkedJob {
  record: ImportJobRecord;
  facts: JobFacts;
}

/** Reads a job and the facts that decide its next step. @returns undefined if there is no such job */
export async function readWorkedJob(
  database: Queryable,
  suppliers: SupplierDirectory,
  jobId: string,
): Promise<WorkedJob | undefined> {
  const record = await findJob(database, jobId);
  if (record === undefined) return undefined;
  const supplier = await findSupplier(suppliers, record.importSupplier);
  const stages = record.kind === 'accounts' && (record.goal === 'STAGE' || record.goal === 'CREATE');
  const isLimited = stages && record.selection === 'uploaded' && supplier !== undefined;
  const stagedCapacity = isLimited ? await findStagedCapacity(database, supplier) : null;
  const manifest = await manifestOf(database, record);
  return { record, facts: { ...record, manifest, supplierStatus: supplier?.status ?? 'Ongoing', stagedCapacity } };
}

/** The state of the manifest of a job that creates something. */
async function manifestOf(database: Queryable, record: ImportJobRecord): Promise<ManifestStep | undefined> {
  if (!record.countsTotals || (record.goal !== 'CREATE' && record.goal !== 'IMPORT')) return undefined;
  return (await readJobManifest(database, record))?.state;
}

/** Reloads the cache for an unknown supplier, because it may have been registered within the last second. */
async function findSupplier(suppliers: SupplierDirectory, code: string): Promise<KnownSupplier | undefined> {
  const known = await suppliers.find(code);
  if (known !== undefined) return known;
  suppliers.forget();
  return suppliers.find(code);
}

/** The counts that a page adds to its job. */
type JobCounts = Pick<ImportJobRecord, 'judged' | 'staged' | 'succeeded' | 'failed' | 'warned'>;

// The rate covers two windows of ten seconds; after 30 seconds without progress both restart.
const IS_NEW = "clock_timestamp() - j.window_at > interval '30 seconds'";
const IS_OVER = "clock_timestamp() - j.window_at > interval '10 seconds'";
const COUNT: PreparedQuery = {
  name: 'import-job-count',
  text: `
    with counted as (
      update import_job j set judged = j.judged + $2, staged = j.staged + $3, succeeded = j.succeeded + $4, failed = j.failed + $5, warned = j.warned + $6,
        status = case when j.judged + $2 >= j.accepted then 'RUNNING' else j.status end,
        earlier_at = case when ${IS_NEW} then clock_timestamp() when ${IS_OVER} then j.window_at else j.earlier_at end,
        earlier_count = case when ${IS_NEW} then 0 when ${IS_OVER} then j.window_count else j.earlier_count end,
        window_at = case when ${IS_OVER} then clock_timestamp() else j.window_at end,
        window_count = case when ${IS_OVER} then $7 else j.window_count + $7 end
      where j.id = $1 and j.status in ('VALIDATING', 'RUNNING')
      returning j.id, j.import_supplier, j.organisation, j.status, old.status as status_before, j.judged, j.staged, j.succeeded, j.failed, j.warned),
    notified as (${writeEventsSql(`
      select import_supplier, organisation, 'job.running.v1', 'jobs/' || id, jsonb_build_object('job_id', id) from counted
      where status = 'RUNNING' and status_before <> status`)})
    select status, judged, staged, succeeded, failed, warned from counted`,
};

/** Whether the import supplier was paused during the step. If so, the lines wait instead of failing. */
export function isSupplierPaused(lines: readonly FinishedLine[]): boolean {
  return lines.some(
    ({ outcome }) => outcome.kind === 'failed' && outcome.code === 'import_supplier_migration_not_ongoing',
  );
}

/**
 * Stores the status that a step implies: paused, running or completed. A job that was paused until a resume is not changed; the work item
 * of one that has ended is completed.
 */
export async function enterStep(em: EntityManager, jobId: string, step: NextStep): Promise<void> {
  const job = await lockJob(em, jobId);
  if (job === undefined || job.status === 'OPEN') return;
  if (hasEnded(job.status)) {
    await completeWork(em, [workflowIds.importJob(jobId)]);
    return;
  }
  if (job.pausedBecause && ENDED_BY_RESUME.has(job.pausedBecause)) return;
  const change = changeOfStep(job, step);
  if (change !== undefined) await changeJob(em, job, change);
}

function changeOfStep(job: ImportJobRecord, step: NextStep): StateChange | undefined {
  if (step.kind === 'complete') return { status: 'COMPLETED', pausedBecause: null };
  if (step.kind === 'pause') {
    return job.pausedBecause === step.because ? undefined : { status: 'PAUSED', pausedBecause: step.because };
  }
  return job.status === 'PAUSED' ? { status: statusAtWork(job), pausedBecause: null } : undefined;
}

/** The counts of a page, and the counts of the job after that page. */
export type PageCounts = JobCounts & { job: Pick<ImportJobRecord, 'status' | keyof JobCounts> };

/**
 * Counts the lines of a page in their job and its causes. Call it last in the transaction of the page, because the job stays locked.
 * @param judged newly validated lines
 * @param earlier warnings that lines already had
 * @returns `stopped` if the job was paused or cancelled meanwhile; the page is then rolled back
 */
export async function countPage(
  em: EntityManager,
  jobId: string,
  lines: readonly FinishedLine[],
  judged: number,
  earlier?: ReadonlyMap<number, readonly unknown[]>,
): Promise<PageCounts | 'stopped'> {
  const having = (kind: LineOutcome['kind']) => lines.filter(({ outcome }) => outcome.kind === kind).length;
  const counts = {
    judged,
    staged: having('staged'),
    succeeded: having('succeeded'),
    failed: having('failed') + having('quarantined'),
    warned: lines.filter(({ line, outcome }) => outcome.warnings?.length && !earlier?.get(line)?.length).length,
  };
  const { staged, succeeded, failed, warned } = counts;
  const values = [jobId, judged, staged, succeeded, failed, warned, lines.length];
  const [job] = await run<PageCounts['job']>(em, COUNT, values);
  if (job === undefined) {
    await em.rollback();
    return 'stopped';
  }
  await recordCauses(em, jobId, lines);
  return { ...counts, job };
}

export function nextStepOf({ clock }: Pick<WorkDeps, 'clock'>, { facts }: WorkedJob): NextStep {
  return nextStep(facts, clock.now());
}

/** Updates the facts after a page. @returns whether the same step continues */
export function continuesStep(
  deps: Pick<WorkDeps, 'clock'>,
  job: WorkedJob,
  { job: counts, staged }: PageCounts,
  kind: NextStep['kind'],
): boolean {
  const { stagedCapacity } = job.facts;
  job.facts = { ...job.facts, ...counts, stagedCapacity: stagedCapacity === null ? null : stagedCapacity - staged };
  return nextStepOf(deps, job).kind === kind;
}

/** Rolls back a savepoint without reporting an error. */
class RolledBack extends Error {}

/** Runs work in a savepoint and rolls it back, with its locks. @returns the result of the work */
export async function rollBackAfter<T>(em: EntityManager, work: (em: EntityManager) => Promise<T>): Promise<T> {
  let result: T | undefined;
  await em
    .transactional(async (part) => {
      result = await work(part);
      throw new RolledBack();
    })
    .catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error;
    });
  return result as T;
}
