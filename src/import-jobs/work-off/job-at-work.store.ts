import type { EntityManager } from '@mikro-orm/postgresql';
import { workflowIds } from '../../../temporal.config.ts';
import { findStagedRoom } from '../../account-import/index.ts';
import { writeEventsSql } from '../../events/index.ts';
import { run, type PreparedQuery, type Queryable } from '../../platform/database/prepared-query.ts';
import { completeWork } from '../../platform/work-items/work-item.store.ts';
import type { KnownSupplier, SupplierDirectory } from '../../suppliers/index.ts';
import type { JobAtWork, LineOutcome } from './line-kind.rules.ts';
import { changeJob, findJob, lockJob, type ImportJobRecord } from '../import-job.store.ts';
import { ENDED_BY_RESUME, hasEnded, statusAtWork, type StandingChange } from '../import-job.rules.ts';
import type { JobFacts, NextStep } from './next-step.rules.ts';

/** A job that is worked on, with what its next step is decided from. */
export interface WorkedJob {
  record: ImportJobRecord;
  facts: JobFacts;
}

/** Reads a job and what its next step turns on; undefined when there is none. */
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
  return { record, facts: factsOf(record, supplier, isLimited ? await findStagedRoom(database, supplier) : null) };
}

/** One that the copy of a second ago does not have was registered just now. */
async function findSupplier(suppliers: SupplierDirectory, code: string): Promise<KnownSupplier | undefined> {
  const known = await suppliers.find(code);
  if (known !== undefined) return known;
  suppliers.forget();
  return suppliers.find(code);
}

function factsOf(record: ImportJobRecord, supplier: KnownSupplier | undefined, stagedRoom: number | null): JobFacts {
  return {
    ...record,
    pausedBecause: record.pausedBecause ?? null,
    supplierStatus: supplier?.status ?? 'Ongoing',
    stagedRoom,
  };
}

/** What those are told who work on the lines of a job. */
export function jobAtWork({ record }: WorkedJob): JobAtWork {
  return {
    jobId: record.id,
    importSupplier: record.importSupplier,
    organisation: record.organisation,
    keyId: record.apiKeyId,
    kind: record.kind,
    goal: record.goal,
    operationsTeam: record.operationsTeam ?? null,
  };
}

/** What a page adds to the counts of its job. */
export interface JobCounts {
  judged: number;
  staged: number;
  succeeded: number;
  failed: number;
  warned: number;
}

// The pace is told from two windows of ten seconds; after a rest both begin anew.
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
    told as (${writeEventsSql(`
      select import_supplier, organisation, 'job.running.v1', 'jobs/' || id, jsonb_build_object('job_id', id) from counted
      where status = 'RUNNING' and status_before <> status`)})
    select status, judged, staged, succeeded, failed, warned from counted`,
};

/**
 * Adds to the counts of a job, at the end of a page's transaction: the row is held until it commits.
 * @param lines that were done, for the pace
 * @returns the counts as they are now; undefined when the job was paused or cancelled meanwhile, and nothing may be kept
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

/** Tells that the import supplier was paused since it was looked at: the lines are to wait, not to fail. */
export function areHeldBack(outcomes: readonly LineOutcome[]): boolean {
  return outcomes.some(
    (outcome) => outcome.kind === 'failed' && outcome.code === 'import_supplier_migration_not_ongoing',
  );
}

/** Completes the work of a job that has ended, whoever ended it. */
export async function completeEnded(em: EntityManager, jobId: string): Promise<void> {
  const job = await lockJob(em, jobId);
  if (job !== undefined && hasEnded(job.status)) await completeWork(em, [workflowIds.importJob(jobId)]);
}

/**
 * Writes what a step means for the status of a job: it rests, goes on, or is complete. Somebody may have changed it
 * meanwhile: what has ended stays so, and so does a pause that waits for a resume.
 */
export async function enterStep(em: EntityManager, jobId: string, step: NextStep): Promise<void> {
  const job = await lockJob(em, jobId);
  if (job === undefined || job.status === 'OPEN' || hasEnded(job.status)) return;
  if (job.pausedBecause && ENDED_BY_RESUME.has(job.pausedBecause)) return;
  const change = changeOfStep(job, step);
  if (change !== undefined) await changeJob(em, job, change);
}

function changeOfStep(job: ImportJobRecord, step: NextStep): StandingChange | undefined {
  if (step.kind === 'complete') return { status: 'COMPLETED', pausedBecause: null };
  if (step.kind === 'rest') {
    return job.pausedBecause === step.because ? undefined : { status: 'PAUSED', pausedBecause: step.because };
  }
  return job.status === 'PAUSED' ? { status: statusAtWork(job), pausedBecause: null } : undefined;
}

const COUNT_CAUSES: PreparedQuery = {
  name: 'import-job-causes-count',
  text: 'select count(*)::integer as causes from import_job_cause where job_id = $1 and records > 0',
};

/** How many kinds of failures and warnings a job has. */
export async function countCausesOf(database: Queryable, jobId: string): Promise<number> {
  const [row] = await run<{ causes: number }>(database, COUNT_CAUSES, [jobId]);
  return row?.causes ?? 0;
}
