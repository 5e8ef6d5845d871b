import { ImportJobCause } from '../import-job.entity.ts';
import { hasEnded } from '../import-job.rules.ts';
import {
  enterStep,
  nextStepOf,
  readWorkedJob,
  type StepEnd,
  type WorkDeps,
  type WorkedJob,
} from './job-at-work.store.ts';
import { importJobBudget } from '../../../temporal.config.ts';
import type { JobProgress } from './job-progress.rules.ts';
import type { NextStep } from './next-step.rules.ts';
import { beginTimeSlice, type TimeSlice } from '../../platform/time-slice.ts';
import { countPages } from './count-pages.store.ts';
import { createPages } from './create-pages.store.ts';
import { validatePages } from './validate-pages.store.ts';
import { listStaged } from './worked-page.store.ts';
import { findJob } from '../import-job.store.ts';

/** Processes a job for one time slice. @returns its progress; null if the job does not exist */
export async function workOffJob(deps: WorkDeps, jobId: string, cancelled: AbortSignal): Promise<JobProgress | null> {
  let slice: TimeSlice | undefined;
  for (;;) {
    const job = await readWorkedJob(deps.database, deps.suppliers, jobId);
    if (job === undefined) return null;
    const maxPerSecond = job.record.options.max_per_second;
    slice ??= beginTimeSlice({
      maxPerSecond: maxPerSecond === undefined ? undefined : Number(maxPerSecond),
      activity: deps.activity,
      cancelled,
      budget: importJobBudget,
    });
    const step = nextStepOf(deps, job);
    await deps.database.transaction((em) => enterStep(em, jobId, step));
    if (step.kind === 'over' || step.kind === 'complete') return progressOf(deps, jobId, 0);
    if (step.kind === 'pause') return progressOf(deps, jobId, step.waitMs);
    const { lines, waitMs } = await doStep(deps, job, step, slice);
    if (slice.isOver() || lines === 0 || waitMs > 0) return progressOf(deps, jobId, waitMs);
  }
}

async function doStep(
  deps: WorkDeps,
  job: WorkedJob,
  step: Extract<NextStep, { kind: 'list-staged' | 'count' | 'validate' | 'create' }>,
  slice: TimeSlice,
): Promise<StepEnd> {
  switch (step.kind) {
    case 'list-staged':
      return listAccounts(deps, job, slice);
    case 'count':
      return countPages(deps, job, slice);
    case 'validate':
      return validatePages(deps, job, step.lines, slice);
    case 'create':
      return createPages(deps, job, step.lines, slice);
  }
}

async function listAccounts(deps: WorkDeps, { record }: WorkedJob, slice: TimeSlice): Promise<StepEnd> {
  let lines = 0;
  for (;;) {
    const listed = await deps.database.transaction((em) => listStaged(em, record.id));
    lines += listed?.added ?? 0;
    // At least 1, so that the caller determines the next step immediately.
    if (listed === undefined || listed.isWhole || slice.isOver()) return { lines: Math.max(1, lines), waitMs: 0 };
  }
}

async function progressOf(
  deps: Pick<WorkDeps, 'database'>,
  jobId: string,
  waitMs: number,
): Promise<JobProgress | null> {
  const job = await findJob(deps.database, jobId);
  if (job === undefined) return null;
  const { status, pausedBecause, goal, accepted, judged, succeeded, failed, linesPerSecond } = job;
  return {
    status,
    pausedBecause,
    hasEnded: hasEnded(status),
    goal,
    accepted,
    judged,
    succeeded,
    failed,
    linesPerSecond,
    causes: await deps.database.em().count(ImportJobCause, { jobId, records: { $gt: 0 } }),
    waitMs,
  };
}
