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
import { createPages } from './create-pages.store.ts';
import { validatePages } from './validate-pages.store.ts';
import { listStaged, findPageToValidate } from './worked-page.store.ts';
import { findJob } from '../import-job.store.ts';
import { mergeTotals } from '../../manifest/totals.rules.ts';
import { recordOf, runningTotals } from '../../manifest/index.ts';
import { unpackPage } from '../import-job-page.store.ts';
import { findTotals, lockTotals, storeTotals } from '../manifest/manifest.store.ts';
import { linesOfPage } from '../page-lines.rules.ts';
import { readLineOfJob } from '../read-line.validation.ts';

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

/**
 * Counts the records of a job before it imports them, a page per transaction. The number of the last counted page is stored with the
 * totals, so that no page counts twice.
 */
async function countPages(deps: WorkDeps, { record }: WorkedJob, slice: TimeSlice): Promise<StepEnd> {
  const { database } = deps;
  let { countedPage } = await findTotals(database, record.id);
  let counted = 0;
  while (!slice.isOver()) {
    const page = await findPageToValidate(database, record.id, countedPage);
    if (page === undefined) break;
    const totals = runningTotals();
    for (const line of linesOfPage(await unpackPage(page.body), page.firstLine)) {
      const { body, refused } = readLineOfJob(record, line);
      if (!refused) totals.add(record.kind, recordOf(record.kind, body));
      await slice.yieldToEventLoop();
    }
    const after = countedPage;
    const isStored = await database.transaction(async (em) => {
      const known = await lockTotals(em, record.id);
      // Another worker, considered lost, has counted the page.
      if (known.countedPage !== after) return false;
      const received = mergeTotals(known.received ?? {}, totals.kinds());
      const counted = known.counted + page.lines;
      await storeTotals(em, record.id, { received, countedPage: page.number, counted });
      return true;
    });
    if (!isStored) return { lines: 1, waitMs: 0 };
    countedPage = page.number;
    counted += page.lines;
  }
  // At least 1, so that the caller determines the next step immediately.
  return { lines: Math.max(1, counted), waitMs: 0 };
}
