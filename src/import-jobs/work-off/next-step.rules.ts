import type { ImportJobRecord } from '../import-job.entity.ts';
import type { SupplierStatus } from '../../vocabulary/supplier-status.ts';
import type { ManifestStep } from '../manifest/manifest-state.rules.ts';
import type { PauseReason } from '../../vocabulary/import-jobs.ts';
import { ENDED_BY_RESUME, hasEnded, type JobState } from '../import-job.rules.ts';
import type { ImportJobOptions } from '../import-job.schema.ts';
import { parisDay, parisTimestamp } from '../../platform/clock.ts';

/** The facts that decide the next step of a job. */
export interface JobFacts extends Pick<
  ImportJobRecord,
  keyof JobState | 'kind' | 'goal' | 'selection' | 'options' | 'isListed' | 'staged' | 'succeeded'
> {
  supplierStatus: SupplierStatus;
  /** Accounts that the import supplier may still stage; null without a limit. */
  stagedCapacity: number | null;
  /** How the records compare with the manifest of the job; undefined if it has none, or creates nothing. */
  manifest?: ManifestStep | undefined;
}

/**
 * The next step of a job. `pause`: the job is or becomes paused. `lines`: most lines to process before the next decision, limited by the
 * canary and the limit of staged accounts.
 */
export type NextStep =
  | { kind: 'over' }
  | { kind: 'complete' }
  | { kind: 'pause'; because: PauseReason; waitMs: number }
  | { kind: 'list-staged' }
  | { kind: 'count' }
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
 * too many failures, has staged accounts to list, records to count, differs from its manifest, has lines to validate, or accounts to create.
 */
export function nextStep(job: JobFacts, now: Date): NextStep {
  if (job.status === 'OPEN' || hasEnded(job.status)) return { kind: 'over' };
  if (job.pausedBecause !== null && ENDED_BY_RESUME.has(job.pausedBecause)) {
    return { kind: 'pause', because: job.pausedBecause, waitMs: RECHECK_MS };
  }
  if (isReady(job) && job.succeeded + job.failed >= job.accepted) return { kind: 'complete' };
  return pauseOf(job, now) ?? workOf(job);
}

/** Pages of an upload are numbered at the start, so an uploaded job is always ready; a staged one needs its list first. */
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
  if (job.manifest === 'uncounted') return { kind: 'count' };
  if (job.manifest === 'differs') return { kind: 'pause', because: 'manifest_mismatch', waitMs: RECHECK_MS };
  const { canary } = job.options;
  const linesMax = canary === undefined || job.isCanaryPassed ? job.accepted : Math.min(canary, job.accepted);
  const isListed = job.selection !== 'uploaded';
  // With a manifest all lines are validated and compared before the first account is created.
  const isWhole = job.goal === 'CREATE' && job.manifest !== undefined;
  const toValidate = isListed ? 0 : (isWhole ? job.accepted : linesMax) - job.judged;
  const toCreate = linesToCreate(job, linesMax, isWhole);
  if (toValidate > 0) {
    const capacity = Math.max(
      0,
      job.goal === 'STAGE' || job.goal === 'CREATE' ? (job.stagedCapacity ?? toValidate) : toValidate,
    );
    if (capacity > 0) return { kind: 'validate', lines: Math.min(toValidate, capacity) };
    if (toCreate <= 0 || isWhole) {
      return { kind: 'pause', because: 'staged_accounts_max', waitMs: RECHECK_WITHOUT_SIGNAL_MS };
    }
  }
  return toCreate > 0 ? { kind: 'create', lines: toCreate } : { kind: 'pause', because: 'canary', waitMs: RECHECK_MS };
}

/** The lines to create before the next decision. @param isWhole whether all lines were validated before, so that only valid lines count */
function linesToCreate(job: JobFacts, linesMax: number, isWhole: boolean): number {
  const finished = job.succeeded + job.failed;
  if (job.selection !== 'uploaded') return linesMax - finished;
  if (job.goal !== 'CREATE') return 0;
  const invalid = job.judged - job.staged;
  return isWhole ? Math.min(linesMax, job.staged) - (finished - invalid) : job.judged - finished;
}

/** Whether the failures since the start, or since the last accepted ones, exceed the limits in the options. */
function hasFailedTooOften({ options, failed, failuresAccepted, judged, accepted }: JobFacts): boolean {
  const { count, percent } = options.stop_after_failures ?? {};
  const failures = failed - failuresAccepted;
  if (failures <= 0) return false;
  if (count !== undefined && failures >= count) return true;
  if (percent === undefined || judged < Math.min(PERCENT_OF_LINES_MIN, accepted)) return false;
  return failures > (Number(percent) / 100) * judged;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MINUTES_OF_DAY = 1_440;

/**
 * The time until a job may run; 0 within its window. The window opens every day; if the change to summer time skips its opening, it opens
 * an hour later.
 */
function msUntilOpen(window: ImportJobOptions['window'], now: Date): number {
  if (window === undefined || window.from === window.to) return 0;
  const [from, to] = [minuteOf(window.from), minuteOf(window.to)];
  const lastsMs = ((to - from + MINUTES_OF_DAY) % MINUTES_OF_DAY) * MINUTE_MS;
  const today = Date.parse(parisDay(now));
  for (const dayMs of [today - DAY_MS, today, today + DAY_MS]) {
    const opensAt = parisTimestamp(dayOf(dayMs), from);
    const shownEnd = parisTimestamp(dayOf(to > from ? dayMs : dayMs + DAY_MS), to);
    // If the change to summer time skips the opening, the closing may come before it.
    const closesAt = shownEnd > opensAt ? shownEnd : opensAt + lastsMs;
    if (now.getTime() < closesAt) return Math.max(0, opensAt - now.getTime());
  }
  return DAY_MS;
}

function dayOf(timestamp: number): string {
  return new Date(timestamp).toISOString().slice(0, 10);
}

function minuteOf(hourOfDay: string): number {
  const [hours, minutes] = hourOfDay.split(':').map(Number) as [number, number];
  return hours * 60 + minutes;
}
