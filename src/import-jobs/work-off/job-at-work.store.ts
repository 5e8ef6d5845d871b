import type { EntityManager } from '@mikro-orm/postgresql';
import { workflowIds } from '../../../temporal.config.ts';
import { findStagedCapacity } from '../../account-import/index.ts';
import { writeEventsSql } from '../../events/index.ts';
import { type PreparedQuery, type Queryable, run } from '../../platform/database/prepared-query.ts';
import { completeWork } from '../../platform/work-items/work-item.store.ts';
import type { KnownSupplier, SupplierDirectory } from '../../suppliers/index.ts';
import type { FinishedLine } from './line-kind.rules.ts';
import type { ImportJobRecord } from '../import-job.entity.ts';
import { changeJob, findJob, lockJob } from '../import-job.store.ts';
import { ENDED_BY_RESUME, hasEnded, type StateChange, statusAtWork } from '../import-job.rules.ts';
import type { JobFacts, NextStep } from './next-step.rules.ts';

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
  return { record, facts: factsOf(record, supplier, isLimited ? await findStagedCapacity(database, supplier) : null) };
}

/** Reloads the cache for an unknown supplier, because it may have been registered within the last second. */
async function findSupplier(suppliers: SupplierDirectory, code: string): Promise<KnownSupplier | undefined> {
  const known = await suppliers.find(code);
  if (known !== undefined) return known;
  suppliers.forget();
  return suppliers.find(code);
}

function factsOf(
  record: ImportJobRecord,
  supplier: KnownSupplier | undefined,
  stagedCapacity: number | null,
): JobFacts {
  return { ...record, supplierStatus: supplier?.status ?? 'Ongoing', stagedCapacity };
}

/** The counts that a page adds to its job. */
export type JobCounts = Pick<ImportJobRecord, 'judged' | 'staged' | 'succeeded' | 'failed' | 'warned'>;

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

/**
 * Adds to the counts of a job. Call it at the end of a page's transaction, because the row stays locked until the commit.
 * @param lines processed lines, for the rate
 * @returns the new counts; undefined if the job was paused or cancelled meanwhile, and the caller must roll back
 */
export async function countJob(
  em: EntityManager,
  jobId: string,
  counts: JobCounts,
  lines: number,
): Promise<Pick<ImportJobRecord, 'status' | keyof JobCounts> | undefined> {
  const { judged, staged, succeeded, failed, warned } = counts;
  const [job] = await run<Pick<ImportJobRecord, 'status' | keyof JobCounts>>(em, COUNT, [
    jobId,
    judged,
    staged,
    succeeded,
    failed,
    warned,
    lines,
  ]);
  return job;
}

/** Whether the import supplier was paused during the step. If so, the lines wait instead of failing. */
export function isSupplierPaused(lines: readonly FinishedLine[]): boolean {
  return lines.some(
    ({ outcome }) => outcome.kind === 'failed' && outcome.code === 'import_supplier_migration_not_ongoing',
  );
}

/** Completes the work item of a job that has ended. */
export async function completeEnded(em: EntityManager, jobId: string): Promise<void> {
  const job = await lockJob(em, jobId);
  if (job !== undefined && hasEnded(job.status)) await completeWork(em, [workflowIds.importJob(jobId)]);
}

/**
 * Stores the status that a step implies: paused, running or completed. A job that has ended meanwhile, or was paused until a resume,
 * is not changed.
 */
export async function enterStep(em: EntityManager, jobId: string, step: NextStep): Promise<void> {
  const job = await lockJob(em, jobId);
  if (job === undefined || job.status === 'OPEN' || hasEnded(job.status)) return;
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
