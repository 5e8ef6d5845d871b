import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { retrySecondsOfKind, wakeSignalOfKind, dispatchPace } from '../../../temporal.config.ts';
import type { Database } from '../database/database.ts';
import { loggedFault, type Log } from '../log.ts';
import { startRun } from '../temporal/start-run.ts';
import { placeOf } from '../../vocabulary/traceparent.ts';
import { startSpan, within } from '../traces/traces.ts';
import type { TemporalGateway } from '../temporal/temporal-gateway.ts';
import { endLease, LeaseLost, renewLease, takeLease, type Lease } from './dispatcher-lease.store.ts';
import { deferWork, dueSwitches, newWork, workAgain, type WorkItem } from './work-item.store.ts';

export interface DispatcherOptions {
  database: Database;
  gateway: TemporalGateway;
  log: Log;
  /** Between two rounds, and until work that was started is looked at again. */
  everyMs?: number;
  retrySeconds?: number;
  /** What else is looked after on the same beat, one process at a time. */
  alsoRun?: readonly (() => Promise<unknown>)[];
  /** Switches are started for their signals only: nothing can be asked without the industry switch's address. */
  leavesSwitchesOut?: boolean;
  /** Tells whether accounts are being created; due switches then give way. */
  isCreating?: () => Promise<boolean>;
}

/** Longest wait for Temporal to take a start; without one a round could hang, and a stop with it. */
const START_DEADLINE_MS = 5_000;
/** So often the other processes look whether the holder of the lease is gone. */
const LOOK_FOR_ABANDONED_MS = 3_000;
/** The lease is renewed so often beside parts of a round that take long, but not for longer than any of them may take. */
const RENEW_MS = 3_000;
const RENEWED_AT_MOST = 20;

/**
 * Starts pending work whose workflow is not running: never started, or lost with a restored engine. Rows are removed by the
 * transaction that completes the work, so a row that is still there is still pending. A round that another process has left
 * unfinished, because it is frozen or cut off, is taken over within seconds.
 * @returns a function that stops the dispatcher and waits for the round under way
 */
export function startDispatcher(options: DispatcherOptions): () => Promise<void> {
  const stopping = new AbortController();
  const { everyMs = dispatchPace.everyMs } = options;
  const running = (async () => {
    let nextAt = performance.now() + everyMs;
    while (!stopping.signal.aborted) {
      await sleep(Math.max(0, Math.min(LOOK_FOR_ABANDONED_MS, nextAt - performance.now())), undefined, {
        signal: stopping.signal,
      }).catch(() => {});
      if (stopping.signal.aborted) return;
      const isOwnTurn = performance.now() >= nextAt;
      const lookedAt = await dispatchOrDefer(options, { stopping: stopping.signal, onlyAbandoned: !isOwnTurn });
      if (isOwnTurn || lookedAt > 0) {
        nextAt = performance.now() + (lookedAt >= dispatchPace.startsPerRound ? 0 : everyMs);
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
      error instanceof LeaseLost
        ? 'another worker has taken over the round meanwhile; this one stops'
        : 'round put off',
    );
    return 0;
  }
}

interface Dispatching {
  stopping?: AbortSignal;
  /** Takes over what another process left unfinished, and begins no round of its own. */
  onlyAbandoned?: boolean;
}

/**
 * One round; resolves to the number of workflows started or found running. Does nothing while another process rounds.
 * @throws LeaseLost when another process has taken over, because this one was frozen or cut off
 */
export async function dispatchRound(
  options: DispatcherOptions,
  { stopping, onlyAbandoned = false }: Dispatching = {},
): Promise<number> {
  const lease = await takeLease(options.database, `${hostname()}/${process.pid}`, { onlyAbandoned });
  if (lease === undefined) return 0;
  if (onlyAbandoned) options.log.warn({}, 'the round of a worker that is frozen or cut off is taken over');
  let isComplete = false;
  try {
    const lookedAt = await dispatchDue(options, lease, stopping);
    isComplete = true;
    return lookedAt;
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
  const { priority, switches } = await chooseDue(options);
  let lookedAt = 0;
  for (const work of [...priority, ...switches]) {
    if (stopping?.aborted) break;
    const wasRunning = await dispatchOne(options, lease, work);
    const wasSwitch = lookedAt >= priority.length;
    lookedAt += 1;
    const isCreating = wasSwitch && (await options.isCreating?.()) === true;
    await sleep(restAfter({ wasSwitch, wasRunning, isCreating }), undefined, { signal: stopping }).catch(() => {});
  }
  return lookedAt;
}

/** One of the other parts of a round; the lease is renewed beside it. What they write is safe to write late. */
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
    log.warn({ fault: loggedFault(error) }, 'a part of the round was put off');
  } finally {
    clearInterval(renewing);
  }
}

/**
 * What one round starts: first what somebody waits for, then what was looked at before, then switches. Those two always get some turns. What is looked at again is
 * mostly found running, and there may be thousands: verifications that wait for their payers, each minute. Nothing new waits behind them.
 */
export async function chooseDue({
  database,
  leavesSwitchesOut,
}: Pick<DispatcherOptions, 'database' | 'leavesSwitchesOut'>): Promise<{ priority: WorkItem[]; switches: WorkItem[] }> {
  const { startsPerRound, againPerRoundMin, switchesPerRoundMin } = dispatchPace;
  const isNew = await newWork(database, startsPerRound);
  const again = await workAgain(database, Math.max(startsPerRound - isNew.length, againPerRoundMin));
  const priority = [...isNew, ...again];
  const turnsLeft = Math.max(startsPerRound - priority.length, switchesPerRoundMin);
  return { priority, switches: leavesSwitchesOut ? [] : await dueSwitches(database, turnsLeft) };
}

/** @returns true when its run was found running */
async function dispatchOne(options: DispatcherOptions, lease: Lease, work: WorkItem): Promise<boolean> {
  // Put off first: one that cannot be started must not keep the others from their turn.
  const { retrySeconds = dispatchPace.retrySeconds } = options;
  if (!(await deferAsHolder(options.database, lease, work, retrySeconds))) return false;
  const wasRunning = await startInItsTrace(options, work);
  const seconds = retrySecondsOfKind[work.kind];
  if (wasRunning && seconds !== undefined) {
    await deferAsHolder(options.database, lease, work, seconds, { unlessSignalled: true });
  }
  return wasRunning;
}

/** Starts work within the trace of the request that asked for it, which may have ended long ago, on another process. */
async function startInItsTrace(options: DispatcherOptions, work: WorkItem): Promise<boolean> {
  const parent = work.traceparent ? placeOf(work.traceparent) : undefined;
  const span = parent && startSpan({ name: 'dispatch', kind: 'internal', parent });
  return span === undefined ? startWorkItem(options, work) : within(span, () => startWorkItem(options, work));
}

/**
 * Puts work off and renews the lease with it: a worker that was frozen does neither.
 * @returns false when the work is gone, or was signalled and is to stay
 * @throws LeaseLost when another process has the lease: it looks after the work now
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
    return (await deferWork(em, [workflowId], seconds, options)).length > 0;
  });
}

/**
 * How long to wait before the next start, in milliseconds. What runs already has begun no work that others would wait for. With the
 * wait of one that is started, looking at 216,000 switches twice a day would take all of the time.
 */
export function restAfter(last: { wasSwitch: boolean; wasRunning: boolean; isCreating: boolean }): number {
  if (!last.wasSwitch) return last.wasRunning ? dispatchPace.restAfterFoundMs : dispatchPace.restMs;
  if (last.wasRunning) return last.isCreating ? dispatchPace.restMs : dispatchPace.restAfterFoundMs;
  return last.isCreating ? dispatchPace.restBesideCreationsMs : dispatchPace.restAfterSwitchMs;
}

/**
 * Starts pending work unless it runs already; a run that is there gets its signal.
 * @returns true when it was found running
 */
export async function startWorkItem(
  options: Pick<DispatcherOptions, 'gateway' | 'log'>,
  work: WorkItem,
): Promise<boolean> {
  try {
    const client = options.gateway.client();
    const signal = work.state === 'signalled' ? wakeSignalOfKind[work.kind] : undefined;
    await client.withDeadline(Date.now() + START_DEADLINE_MS, () => startRun(client, work, { signal }));
    options.log.info({ kind: work.kind }, 'pending work started');
    return false;
  } catch (error) {
    // Running already, which is what is wanted.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return true;
  }
}
