import type { SupplierStatus } from '../../vocabulary/supplier-status.ts';
import type {
  ImportJobGoal,
  ImportJobKind,
  ImportJobSelection,
  ImportJobStatus,
  PauseReason,
} from '../../vocabulary/import-jobs.ts';
import { ENDED_BY_RESUME, hasEnded } from '../import-job.rules.ts';
import type { ImportJobOptions } from '../import-job.schema.ts';
import { msUntilOpen } from './job-window.rules.ts';

/** The facts that decide the next step of a job. */
export interface JobFacts {
  status: ImportJobStatus;
  pausedBecause: PauseReason | null;
  kind: ImportJobKind;
  goal: ImportJobGoal;
  selection: ImportJobSelection;
  options: ImportJobOptions;
  isListed: boolean;
  isCanaryPassed: boolean;
  failuresAccepted: number;
  accepted: number;
  judged: number;
  succeeded: number;
  failed: number;
  supplierStatus: SupplierStatus;
  /** Accounts that the import supplier may still stage; null without a limit. */
  stagedRoom: number | null;
}

/**
 * The next step of a job. `pause`: it is or becomes paused. `lines`: most lines to process before the next decision, limited by the
 * canary and the limit of staged accounts.
 */
export type NextStep =
  | { kind: 'over' }
  | { kind: 'complete' }
  | { kind: 'pause'; because: PauseReason; waitMs: number }
  | { kind: 'list-staged' }
  | { kind: 'validate'; lines: number }
  | { kind: 'create'; lines: number };

/** Check interval of a job that waits for a resume, in case its signal is lost. */
const RECHECK_MS = 600_000;
/** Check interval of a pause that ends without a signal: the supplier becomes Ongoing, or staged accounts are created. */
const RECHECK_WITHOUT_SIGNAL_MS = 15_000;
/** Lines to validate before a percentage of failures is significant. */
const PERCENT_OF_LINES_MIN = 100;

/**
 * Decides the next step of a job. The first match wins: the job has ended or is complete, waits for a resume, may not run now, has
 * too many failures, has staged accounts to list, lines to validate, or accounts to create.
 */
export function nextStep(job: JobFacts, now: Date): NextStep {
  if (job.status === 'OPEN' || hasEnded(job.status)) return { kind: 'over' };
  if (job.pausedBecause !== null && ENDED_BY_RESUME.has(job.pausedBecause)) {
    return { kind: 'pause', because: job.pausedBecause, waitMs: RECHECK_MS };
  }
  if (isReady(job) && job.succeeded + job.failed >= job.accepted) return { kind: 'complete' };
  return pauseOf(job, now) ?? workOf(job);
}

/** Pages of an upload are numbered when the job is started. */
function isReady({ selection, isListed }: JobFacts): boolean {
  return selection === 'uploaded' || isListed;
}

function pauseOf(job: JobFacts, now: Date): NextStep | undefined {
  if (job.kind === 'accounts' && job.supplierStatus !== 'Ongoing') {
    return { kind: 'pause', because: 'supplier_paused', waitMs: RECHECK_WITHOUT_SIGNAL_MS };
  }
  const waitMs = msUntilOpen(job.options.window, now);
  if (waitMs > 0) return { kind: 'pause', because: 'outside_window', waitMs };
  return hasFailedTooOften(job) ? { kind: 'pause', because: 'too_many_failures', waitMs: RECHECK_MS } : undefined;
}

function workOf(job: JobFacts): NextStep {
  if (!isReady(job)) return { kind: 'list-staged' };
  const { canary } = job.options;
  const linesMax = canary === undefined || job.isCanaryPassed ? job.accepted : Math.min(canary, job.accepted);
  const isListed = job.selection === 'staged';
  const toValidate = isListed ? 0 : linesMax - job.judged;
  const finished = job.succeeded + job.failed;
  const toCreate = isListed ? linesMax - finished : job.goal === 'CREATE' ? job.judged - finished : 0;
  if (toValidate > 0) {
    const capacity = Math.max(
      0,
      job.goal === 'STAGE' || job.goal === 'CREATE' ? (job.stagedRoom ?? toValidate) : toValidate,
    );
    if (capacity > 0) return { kind: 'validate', lines: Math.min(toValidate, capacity) };
    if (toCreate <= 0) return { kind: 'pause', because: 'staged_accounts_max', waitMs: RECHECK_WITHOUT_SIGNAL_MS };
  }
  return toCreate > 0 ? { kind: 'create', lines: toCreate } : { kind: 'pause', because: 'canary', waitMs: RECHECK_MS };
}

/** Whether the failures since the start or the last accepted ones exceed the options. */
function hasFailedTooOften({ options, failed, failuresAccepted, judged, accepted }: JobFacts): boolean {
  const { count, percent } = options.stop_after_failures ?? {};
  const failures = failed - failuresAccepted;
  if (failures <= 0) return false;
  if (count !== undefined && failures >= count) return true;
  if (percent === undefined || judged < Math.min(PERCENT_OF_LINES_MIN, accepted)) return false;
  return failures > (Number(percent) / 100) * judged;
}
