import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import pMap from 'p-map';
import { dispatchPace, pageRunOfKind, retrySecondsOfKind, wakeSignalOfKind } from '../../../temporal.config.ts';
import type { Database } from '../database/database.ts';
import { loggedFault, type Log } from '../log.ts';
import { findOpenRuns, startRun } from '../temporal/start-run.ts';
import { isTemporalAway } from '../temporal/temporal-faults.ts';
import { parseTraceparent } from '../../vocabulary/trace-header.ts';
import { startSpan, within } from '../traces/traces.ts';
import type { TemporalGateway } from '../temporal/temporal-gateway.ts';
import { endLease, LeaseLost, renewLease, acquireLease, type Lease } from './dispatcher-lease.store.ts';
import { claimDueWork, deferWork, type ClaimedWork, type DeferredWork, type WorkItem } from './work-item.store.ts';

export interface DispatcherOptions {
  database: Database;
  gateway: TemporalGateway;
  log: Log;
  /** Interval of rounds in milliseconds, and time in seconds until started work is checked again. */
  everyMs?: number;
  retrySeconds?: number;
  /** Further tasks of a round, executed by one process at a time. */
  alsoRun?: readonly (() => Promise<unknown>)[];
  /** Whether creation requests wait, so that work starts slowly. */
  isBusy?: () => boolean;
}

/** Timeout of a start; without it a round, and a stop, could hang. */
const START_DEADLINE_MS = 5_000;
/** Looks for due work within the interval of rounds, by every worker. */
const LOOKS_PER_ROUND = 10;
/** Interval and number of renewals of the lease during a long task of a round. */
const RENEW_MS = 3_000;
const RENEWED_AT_MOST = 20;

/**
 * Starts pending work whose workflow is not running: never started, or lost by a restore of Temporal. The transaction that completes work
 * removes its row, so existing rows are pending. Every worker claims pages of due work; the further tasks of a round run in one worker.
 * @returns a function that stops the dispatcher and waits for the current round
 */
export function startDispatcher(options: DispatcherOptions): () => Promise<void> {
  const stopping = new AbortController();
  const { everyMs = dispatchPace.everyMs } = options;
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => {});
  const running = (async () => {
    for (let look = 1; !stopping.signal.aborted; look += 1) {
      await pause(everyMs / LOOKS_PER_ROUND);
      if (look % LOOKS_PER_ROUND === 0) await unlessFailing(options, () => runTasks(options));
      for (let started = 1; started > 0 && !stopping.signal.aborted;) {
        const beganAt = performance.now();
        started = await unlessFailing(options, () => startDueWork(options, stopping.signal));
        // As long as the page took, so that a backlog takes half of what Temporal and the database can do.
        if (started > 0) await pause(performance.now() - beganAt);
      }
    }
  })();
  return async () => {
    stopping.abort();
    await running;
  };
}

async function unlessFailing({ log }: DispatcherOptions, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    log.warn(
      { fault: loggedFault(error) },
      error instanceof LeaseLost ? 'round stopped: another worker has the lease' : 'round failed',
    );
    return 0;
  }
}

/**
 * Runs one round.
 * @returns the number of workflows that were started or found running
 * @throws LeaseLost if another process has acquired the lease because this one hung or was cut off
 */
export async function dispatchRound(options: DispatcherOptions): Promise<number> {
  await runTasks(options);
  let all = 0;
  for (let started = 1; started > 0; all += started) started = await startDueWork(options);
  return all;
}

/**
 * Runs the further tasks of a round, or nothing if another process runs them.
 * @returns the number of tasks
 */
async function runTasks(options: DispatcherOptions): Promise<number> {
  const lease = await acquireLease(options.database, `${hostname()}/${process.pid}`);
  if (lease === undefined) return 0;
  let isComplete = false;
  try {
    for (const task of options.alsoRun ?? []) await runBeside(options, lease, task);
    isComplete = true;
  } finally {
    await endLease(options.database, lease, isComplete);
  }
  return options.alsoRun?.length ?? 0;
}

/** Runs a further task of a round and renews the lease meanwhile. The task's writes are safe even if they are late. */
async function runBeside(
  { database, log }: DispatcherOptions,
  lease: Lease,
  work: () => Promise<unknown>,
): Promise<void> {
  await renewLease(database, lease);
  let renewed = 0;
  const renewing = setInterval(() => {
    renewed += 1;
    if (renewed > RENEWED_AT_MOST) clearInterval(renewing);
    else renewLease(database, lease).catch(() => clearInterval(renewing));
  }, RENEW_MS);
  try {
    await work();
  } catch (error) {
    log.warn({ fault: loggedFault(error) }, 'task of a round failed');
  } finally {
    clearInterval(renewing);
  }
}

/**
 * Starts a page of due work. If an item cannot be started, the others are, and it is due again later.
 * @returns the number of items
 * @throws if Temporal is unavailable; the items are due again when the claim ends
 */
async function startDueWork(options: DispatcherOptions, stopping?: AbortSignal): Promise<number> {
  const { database, isBusy = () => false, log, retrySeconds = dispatchPace.retrySeconds } = options;
  const claimed = await claimDueWork(database, dispatchPace);
  const open = await findOpenOf(options, claimed);
  const done: DeferredWork[] = [];
  const start = async (work: ClaimedWork): Promise<void> => {
    if (stopping?.aborted) return;
    let isRunning = open.has(work.workflowId);
    try {
      if (!isRunning) isRunning = await startInItsTrace(options, work);
    } catch (error) {
      if (isTemporalAway(error)) throw error;
      log.warn({ kind: work.kind, fault: loggedFault(error) }, 'pending work not started');
    }
    done.push({ ...work, seconds: (isRunning ? retrySecondsOfKind[work.kind] : undefined) ?? retrySeconds });
    if (isBusy()) await sleep(dispatchPace.pauseBesideRequestsMs, undefined, { signal: stopping }).catch(() => {});
  };
  try {
    await pMap(claimed, start, { concurrency: isBusy() ? 1 : dispatchPace.startsAtOnce });
  } finally {
    await deferWork(database, done);
  }
  return claimed.length;
}

/** The share of work started before that is started again without a look at the list of runs. */
const STARTED_ANYWAY = 0.1;

/**
 * Finds in one query which of the work that was started before is running. A list may show runs that a restore of Temporal has removed, so
 * some work is started anyway.
 */
async function findOpenOf({ gateway, log }: DispatcherOptions, claimed: readonly ClaimedWork[]): Promise<Set<string>> {
  const expected = claimed.filter(
    ({ wasStarted, state }) => wasStarted && state !== 'signalled' && Math.random() >= STARTED_ANYWAY,
  );
  if (expected.length === 0) return new Set();
  try {
    const ids = expected.map(({ workflowId }) => workflowId);
    const client = gateway.client();
    return await client.withDeadline(Date.now() + START_DEADLINE_MS, () => findOpenRuns(client, ids));
  } catch (error) {
    if (isTemporalAway(error)) throw error;
    log.warn({ fault: loggedFault(error) }, 'open runs not listed; starting their work again');
    return new Set();
  }
}

/** Starts work within the trace of the request that enqueued it, possibly long ago in another process. */
async function startInItsTrace(options: DispatcherOptions, work: WorkItem): Promise<boolean> {
  const parent = work.traceparent ? parseTraceparent(work.traceparent) : undefined;
  const span = parent && startSpan({ name: 'dispatch', kind: 'internal', parent });
  return span === undefined ? startWorkItem(options, work) : within(span, () => startWorkItem(options, work));
}

/**
 * Starts pending work unless it is running. Signals a running run if the work was signaled. Work that belongs to pages wakes their run.
 * @returns whether it was already running
 */
export async function startWorkItem(
  options: Pick<DispatcherOptions, 'gateway' | 'log'>,
  work: WorkItem,
): Promise<boolean> {
  try {
    const client = options.gateway.client();
    const pages = work.runsAlone ? undefined : pageRunOfKind[work.kind];
    const run = pages ?? work;
    const signal = pages !== undefined || work.state === 'signalled' ? wakeSignalOfKind[run.kind] : undefined;
    await client.withDeadline(Date.now() + START_DEADLINE_MS, () => startRun(client, run, { signal }));
    options.log.info({ kind: work.kind }, 'pending work started');
    return false;
  } catch (error) {
    // Already running, as intended.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return true;
  }
}
