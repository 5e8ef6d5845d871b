import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { dispatchPace, pageRunOfKind, retrySecondsOfKind, wakeSignalOfKind } from '../../../temporal.config.ts';
import type { Database } from '../database/database.ts';
import { loggedFault, type Log } from '../log.ts';
import { startRun } from '../temporal/start-run.ts';
import { parseTraceparent } from '../../vocabulary/trace-header.ts';
import { startSpan, within } from '../traces/traces.ts';
import type { TemporalGateway } from '../temporal/temporal-gateway.ts';
import { endLease, LeaseLost, renewLease, acquireLease, type Lease } from './dispatcher-lease.store.ts';
import { deferWork, newWork, workAgain, type WorkItem } from './work-item.store.ts';

export interface DispatcherOptions {
  database: Database;
  gateway: TemporalGateway;
  log: Log;
  /** Interval of rounds in milliseconds, and time in seconds until started work is checked again. */
  everyMs?: number;
  retrySeconds?: number;
  /** Further tasks of a round, executed by one process at a time. */
  alsoRun?: readonly (() => Promise<unknown>)[];
}

/** Timeout of a start; without it a round, and a stop, could hang. */
const START_DEADLINE_MS = 5_000;
/** Interval at which other processes check whether the holder of the lease is gone. */
const CHECK_LEASE_MS = 3_000;
/** Interval and number of renewals of the lease during a long task of a round. */
const RENEW_MS = 3_000;
const RENEWED_AT_MOST = 20;

/**
 * Starts pending work whose workflow is not running: never started, or lost by a restore of Temporal. The transaction that completes work
 * removes its row, so existing rows are pending. If a process hangs or is cut off during a round, another one continues within seconds.
 * @returns a function that stops the dispatcher and waits for the current round
 */
export function startDispatcher(options: DispatcherOptions): () => Promise<void> {
  const stopping = new AbortController();
  const { everyMs = dispatchPace.everyMs } = options;
  const running = (async () => {
    let nextAt = performance.now() + everyMs;
    while (!stopping.signal.aborted) {
      await sleep(Math.max(0, Math.min(CHECK_LEASE_MS, nextAt - performance.now())), undefined, {
        signal: stopping.signal,
      }).catch(() => {});
      if (stopping.signal.aborted) return;
      const isRoundDue = performance.now() >= nextAt;
      const examined = await dispatchOrDefer(options, { stopping: stopping.signal, onlyAbandoned: !isRoundDue });
      if (isRoundDue || examined > 0) {
        nextAt = performance.now() + (examined >= dispatchPace.startsPerRound ? 0 : everyMs);
      }
    }
  })();
  return async () => {
    stopping.abort();
    await running;
  };
}

async function dispatchOrDefer(options: DispatcherOptions, dispatching: Dispatching): Promise<number> {
  try {
    return await dispatchRound(options, dispatching);
  } catch (error) {
    options.log.warn(
      { fault: loggedFault(error) },
      error instanceof LeaseLost ? 'round stopped: another worker has the lease' : 'round failed',
    );
    return 0;
  }
}

interface Dispatching {
  stopping?: AbortSignal;
  /** Only continues an abandoned round of another process. */
  onlyAbandoned?: boolean;
}

/**
 * Runs one round, or nothing if another process has the lease.
 * @returns the number of workflows that were started or found running
 * @throws LeaseLost if another process has acquired the lease because this one hung or was cut off
 */
export async function dispatchRound(
  options: DispatcherOptions,
  { stopping, onlyAbandoned = false }: Dispatching = {},
): Promise<number> {
  const lease = await acquireLease(options.database, `${hostname()}/${process.pid}`, { onlyAbandoned });
  if (lease === undefined) return 0;
  if (onlyAbandoned) options.log.warn({}, 'abandoned round continued');
  let isComplete = false;
  try {
    const examined = await dispatchDue(options, lease, stopping);
    isComplete = true;
    return examined;
  } finally {
    await endLease(options.database, lease, isComplete);
  }
}

async function dispatchDue(
  options: DispatcherOptions,
  lease: Lease,
  stopping: AbortSignal | undefined,
): Promise<number> {
  for (const task of options.alsoRun ?? []) await runBeside(options, lease, task);
  let examined = 0;
  for (const work of await chooseDue(options.database)) {
    if (stopping?.aborted) break;
    const wasRunning = await dispatchOne(options, lease, work);
    examined += 1;
    const pauseMs = wasRunning ? dispatchPace.pauseAfterFoundMs : dispatchPace.pauseMs;
    await sleep(pauseMs, undefined, { signal: stopping }).catch(() => {});
  }
  return examined;
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
 * Chooses the work of one round: new work that callers wait for, then work that was started before, which always gets some starts. It is
 * mostly running and may be thousands of items, so new work does not wait for it.
 */
export async function chooseDue(database: Database): Promise<WorkItem[]> {
  const { startsPerRound, againPerRoundMin } = dispatchPace;
  const isNew = await newWork(database, startsPerRound);
  const again = await workAgain(database, Math.max(startsPerRound - isNew.length, againPerRoundMin));
  return [...isNew, ...again];
}

/** @returns whether its run was already running */
async function dispatchOne(options: DispatcherOptions, lease: Lease, work: WorkItem): Promise<boolean> {
  // Deferred first, so that an item that cannot be started does not block the others.
  const { retrySeconds = dispatchPace.retrySeconds } = options;
  if (!(await deferAsHolder(options.database, lease, work, retrySeconds))) return false;
  const wasRunning = await startInItsTrace(options, work);
  const seconds = retrySecondsOfKind[work.kind];
  if (wasRunning && seconds !== undefined) {
    await deferAsHolder(options.database, lease, work, seconds, { unlessSignalled: true });
  }
  return wasRunning;
}

/** Starts work within the trace of the request that enqueued it, possibly long ago in another process. */
async function startInItsTrace(options: DispatcherOptions, work: WorkItem): Promise<boolean> {
  const parent = work.traceparent ? parseTraceparent(work.traceparent) : undefined;
  const span = parent && startSpan({ name: 'dispatch', kind: 'internal', parent });
  return span === undefined ? startWorkItem(options, work) : within(span, () => startWorkItem(options, work));
}

/**
 * Defers work and renews the lease in one transaction, so that a worker without the lease does neither.
 * @returns false if the work is complete, or was signaled and must not be deferred
 * @throws LeaseLost if another process has acquired the lease
 */
function deferAsHolder(
  database: Database,
  lease: Lease,
  { workflowId }: WorkItem,
  seconds: number,
  options: { unlessSignalled?: boolean } = {},
): Promise<boolean> {
  return database.transaction(async (em) => {
    await renewLease(em, lease);
    return deferWork(em, workflowId, seconds, options);
  });
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
