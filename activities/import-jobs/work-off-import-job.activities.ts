import { Context } from '@temporalio/activity';
import { listStaged, lockListing } from '../../src/import-jobs/work-off/created-page.store.ts';
import { hasEnded, changeOfCancel } from '../../src/import-jobs/import-job.rules.ts';
import { LINES_MAX } from '../../src/import-jobs/import-job.schema.ts';
import { changeJob, lockJob } from '../../src/import-jobs/import-job.store.ts';
import {
  completeEnded,
  countCausesOf,
  enterStep,
  readWorkedJob,
  type WorkedJob,
} from '../../src/import-jobs/work-off/job-at-work.store.ts';
import { importJobBudget } from '../../temporal.config.ts';
import type { JobProgress } from '../../src/import-jobs/work-off/job-progress.rules.ts';
import type { NextStep } from '../../src/import-jobs/work-off/next-step.rules.ts';
import type { Database } from '../../src/platform/database/database.ts';
import type { Log } from '../../src/platform/log.ts';
import { isRefused } from '../../src/vocabulary/refusals.ts';
import { VendorError } from '../../src/vocabulary/vendor-errors.ts';
import { onDatabase, vendorFailure } from '../failures.ts';
import { withHeartbeat } from '../heartbeat.ts';
import { createPages } from './create-pages.activities.ts';
import { judgePages } from './judge-pages.activities.ts';
import { beginStint, type Stint } from '../stint.ts';
import { nextStepOf, type StepEnd, type WorkDeps } from './work-step.activities.ts';

export type ImportJobActivities = ReturnType<typeof importJobActivities>;
export type ImportJobSteps = ReturnType<typeof importJobSteps>;

/** The activity of the queue of import jobs. It may run twice, even at once: each page is done once all the same. */
export function importJobActivities(deps: WorkDeps) {
  return {
    /** Works on a job for some seconds, and tells how far it is. Null when there is no such job. */
    async workOffImportJob(jobId: string): Promise<JobProgress | null> {
      const { cancellationSignal: cancelled } = Context.current();
      try {
        return await withHeartbeat(() => workOff(deps, jobId, cancelled));
      } catch (error) {
        if (error instanceof VendorError) throw vendorFailure(error);
        return await onDatabase(deps.log, 'an import job cannot go on', () => Promise.reject(error as Error), {
          jobId,
        });
      }
    },
  };
}

/** Short steps beside the pages. */
export function importJobSteps({ database, log }: { database: Database; log: Log }) {
  return {
    /** Cancels a job, for who cancelled its run in Temporal's web UI. */
    cancelImportJob: (jobId: string): Promise<void> =>
      onDatabase(log, 'an import job cannot be cancelled by a fault of ours', () =>
        database.transaction(async (em) => {
          const job = await lockJob(em, jobId);
          if (job === undefined) return;
          const change = changeOfCancel({ ...job, pausedBecause: job.pausedBecause ?? null });
          if (change !== undefined && !isRefused(change)) await changeJob(em, job, change);
        }),
      ),
  };
}

async function workOff(deps: WorkDeps, jobId: string, cancelled: AbortSignal): Promise<JobProgress | null> {
  let stint: Stint | undefined;
  for (;;) {
    const job = await readWorkedJob(deps.database, deps.suppliers, jobId);
    if (job === undefined) return null;
    const maxPerSecond = job.record.options.max_per_second;
    stint ??= beginStint({
      maxPerSecond: maxPerSecond === undefined ? undefined : Number(maxPerSecond),
      activity: deps.activity,
      cancelled,
      budget: importJobBudget,
    });
    const step = nextStepOf(deps, job);
    if (step.kind === 'over') {
      await deps.database.transaction((em) => completeEnded(em, jobId));
      return progressOf(deps, jobId, 0);
    }
    await deps.database.transaction((em) => enterStep(em, jobId, step));
    if (step.kind === 'complete') return progressOf(deps, jobId, 0);
    if (step.kind === 'rest') return progressOf(deps, jobId, step.waitMs);
    const { lines, waitMs } = await doStep(deps, job, step, stint);
    if (stint.isOver() || lines === 0 || waitMs > 0) return progressOf(deps, jobId, waitMs);
  }
}

async function doStep(
  deps: WorkDeps,
  job: WorkedJob,
  step: Extract<NextStep, { kind: 'list-staged' | 'judge' | 'create' }>,
  stint: Stint,
): Promise<StepEnd> {
  switch (step.kind) {
    case 'list-staged':
      return listAccounts(deps, job, stint);
    case 'judge':
      return judgePages(deps, job, step.lines, stint);
    case 'create':
      return createPages(deps, job, step.lines, stint);
  }
}

async function listAccounts(deps: WorkDeps, { record }: WorkedJob, stint: Stint): Promise<StepEnd> {
  let lines = 0;
  for (;;) {
    const listed = await deps.database.transaction(async (em) =>
      (await lockListing(em, record.id))
        ? listStaged(em, { jobId: record.id, importSupplier: record.importSupplier, linesMax: LINES_MAX })
        : undefined,
    );
    lines += listed?.added ?? 0;
    // At least one, so that the next step is decided anew.
    if (listed === undefined || listed.isWhole || stint.isOver()) return { lines: Math.max(1, lines), waitMs: 0 };
  }
}

async function progressOf(deps: WorkDeps, jobId: string, waitMs: number): Promise<JobProgress | null> {
  const job = await readWorkedJob(deps.database, deps.suppliers, jobId);
  if (job === undefined) return null;
  const { status, pausedBecause, goal, accepted, judged, succeeded, failed, linesPerSecond } = job.record;
  return {
    status,
    pausedBecause: pausedBecause ?? null,
    hasEnded: hasEnded(status),
    goal,
    accepted,
    judged,
    succeeded,
    failed,
    linesPerSecond,
    causes: await countCausesOf(deps.database, jobId),
    waitMs,
  };
}
