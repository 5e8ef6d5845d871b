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

/** What is known of a job when its next step is decided. */
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
 * What a job does next. `rest`: it is, or becomes, paused. Lines are the most that may be done before the next decision;
 * they bind a job with a canary, a limit of staged accounts or nothing at all.
 */
export type NextStep =
  | { kind: 'over' }
  | { kind: 'complete' }
  | { kind: 'rest'; because: PauseReason; waitMs: number }
  | { kind: 'list-staged' }
  | { kind: 'judge'; lines: number }
  | { kind: 'create'; lines: number };

/** A job that somebody has to resume is told by a signal; one that got lost costs at most this. */
const LOOK_AGAIN_MS = 600_000;
/** What heals without a signal: a supplier that is Ongoing again, accounts that were created. */
const HEALS_BY_ITSELF_MS = 15_000;
/** A percentage says nothing about a handful of lines. */
const PERCENT_OF_LINES_MIN = 100;

/**
 * Decides what a job does next. The first that fits wins: it is over or done, somebody has to resume it, it may not run
 * now, it has failed too often, what is staged is to be listed, lines are to be judged, accounts are to be created.
 */
export function nextStep(job: JobFacts, now: Date): NextStep {
  if (job.status === 'OPEN' || hasEnded(job.status)) return { kind: 'over' };
  if (job.pausedBecause !== null && ENDED_BY_RESUME.has(job.pausedBecause)) {
    return { kind: 'rest', because: job.pausedBecause, waitMs: LOOK_AGAIN_MS };
  }
  if (isReady(job) && job.succeeded + job.failed >= job.accepted) return { kind: 'complete' };
  return restOf(job, now) ?? workOf(job);
}

/** Pages of an upload are numbered when the job is started. */
function isReady({ selection, isListed }: JobFacts): boolean {
  return selection === 'uploaded' || isListed;
}

function restOf(job: JobFacts, now: Date): NextStep | undefined {
  if (job.kind === 'accounts' && job.supplierStatus !== 'Ongoing') {
    return { kind: 'rest', because: 'supplier_paused', waitMs: HEALS_BY_ITSELF_MS };
  }
  const waitMs = msUntilOpen(job.options.window, now);
  if (waitMs > 0) return { kind: 'rest', because: 'outside_window', waitMs };
  return hasFailedTooOften(job) ? { kind: 'rest', because: 'too_many_failures', waitMs: LOOK_AGAIN_MS } : undefined;
}

function workOf(job: JobFacts): NextStep {
  if (!isReady(job)) return { kind: 'list-staged' };
  const { canary } = job.options;
  const linesMax = canary === undefined || job.isCanaryPassed ? job.accepted : Math.min(canary, job.accepted);
  const isListed = job.selection === 'staged';
  const toJudge = isListed ? 0 : linesMax - job.judged;
  const finished = job.succeeded + job.failed;
  const toCreate = isListed ? linesMax - finished : job.goal === 'CREATE' ? job.judged - finished : 0;
  if (toJudge > 0) {
    const room = Math.max(0, job.goal === 'STAGE' || job.goal === 'CREATE' ? (job.stagedRoom ?? toJudge) : toJudge);
    if (room > 0) return { kind: 'judge', lines: Math.min(toJudge, room) };
    if (toCreate <= 0) return { kind: 'rest', because: 'staged_accounts_max', waitMs: HEALS_BY_ITSELF_MS };
  }
  return toCreate > 0
    ? { kind: 'create', lines: toCreate }
    : { kind: 'rest', because: 'canary', waitMs: LOOK_AGAIN_MS };
}

/** Failures since the job was started, or resumed the last time. */
function hasFailedTooOften({ options, failed, failuresAccepted, judged, accepted }: JobFacts): boolean {
  const { count, percent } = options.stop_after_failures ?? {};
  const failures = failed - failuresAccepted;
  if (failures <= 0) return false;
  if (count !== undefined && failures >= count) return true;
  if (percent === undefined || judged < Math.min(PERCENT_OF_LINES_MIN, accepted)) return false;
  return failures > (Number(percent) / 100) * judged;
}
