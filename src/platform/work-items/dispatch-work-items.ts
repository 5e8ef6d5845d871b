import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import {
  lookAgainSecondsOfKind,
  newsSignalOfKind,
  sweepPace,
  taskQueues,
  workflowOfKind,
} from '../../../temporal.config.ts';
import type { Database } from '../database/database.ts';
import { loggedFault, type Log } from '../log.ts';
import type { TemporalGateway } from '../temporal/temporal-gateway.ts';
import {
  deferRunning,
  deferWork,
  endLease,
  LeaseLost,
  renewLease,
  takeLease,
  type Lease,
} from './dispatcher-lease.store.ts';
import { dueSwitches, promptWork, type OwedWork } from './work-item.store.ts';

export interface SweeperOptions {
  database: Database;
  gateway: TemporalGateway;
  log: Log;
  intervalMs?: number;
  /** What else is looked after on the same beat, one process at a time. */
  alsoSweep?: readonly (() => Promise<unknown>)[];
  /** Switches are started for their news only: nothing can be asked without the industry switch's address. */
  leavesSwitchesOut?: boolean;
  /** Tells whether accounts are being created; due switches then give way. */
  isCreating?: () => Promise<boolean>;
}

const LOOK_AGAIN_SECONDS = 60;
/** Longest wait for Temporal to take a start; without one a sweep could hang, and a stop with it. */
const START_DEADLINE_MS = 5_000;
/** So often the other processes look whether the holder of the lease is gone. */
const LOOK_FOR_ABANDONED_MS = 3_000;
/** The lease is renewed so often beside parts of a sweep that take long, but not for longer than any of them may take. */
const RENEW_MS = 3_000;
const RENEWED_AT_MOST = 20;

/**
 * Starts owed work whose workflow is not running: never started, or lost with a restored engine. Rows are removed by the
 * transaction that settles the work, so a row that is still there is still owed. A sweep that another process has left
 * unfinished, because it is frozen or cut off, is taken over within seconds.
 * @returns a function that stops the sweeper and waits for the sweep under way
 */
export function startSweeper(options: SweeperOptions): () => Promise<void> {
  const stopping = new AbortController();
  const everyMs = options.intervalMs ?? sweepPace.everyMs;
  const running = (async () => {
    let nextAt = performance.now() + everyMs;
    while (!stopping.signal.aborted) {
      await sleep(Math.max(0, Math.min(LOOK_FOR_ABANDONED_MS, nextAt - performance.now())), undefined, {
        signal: stopping.signal,
      }).catch(() => {});
      if (stopping.signal.aborted) return;
      const isOwnTurn = performance.now() >= nextAt;
      const swept = await sweepOrPutOff(options, { stopping: stopping.signal, onlyAbandoned: !isOwnTurn });
      if (isOwnTurn || swept > 0) nextAt = performance.now() + (swept >= sweepPace.startsPerSweep ? 0 : everyMs);
    }
  })();
  return async () => {
    stopping.abort();
    await running;
  };
}

async function sweepOrPutOff(options: SweeperOptions, sweeping: Sweeping): Promise<number> {
  try {
    return await sweep(options, sweeping);
  } catch (error) {
    options.log.warn(
      { fault: (error as Error).name },
      error instanceof LeaseLost
        ? 'another worker has taken over the sweep meanwhile; this one stops'
        : 'sweep put off',
    );
    return 0;
  }
}

interface Sweeping {
  stopping?: AbortSignal;
  /** Takes over what another process left unfinished, and begins no sweep of its own. */
  onlyAbandoned?: boolean;
}

/**
 * One sweep; resolves to the number of workflows started or found running. Does nothing while another process sweeps.
 * @throws LeaseLost when another process has taken over, because this one was frozen or cut off
 */
export async function sweep(
  options: SweeperOptions,
  { stopping, onlyAbandoned = false }: Sweeping = {},
): Promise<number> {
  const lease = await takeLease(options.database, `${hostname()}/${process.pid}`, { onlyAbandoned });
  if (lease === undefined) return 0;
  if (onlyAbandoned) options.log.warn({}, 'the sweep of a worker that is frozen or cut off is taken over');
  let isSwept = false;
  try {
    const swept = await sweepDue(options, lease, stopping);
    isSwept = true;
    return swept;
  } finally {
    await endLease(options.database, lease, isSwept);
  }
}

async function sweepDue(options: SweeperOptions, lease: Lease, stopping: AbortSignal | undefined): Promise<number> {
  for (const sweepToo of options.alsoSweep ?? []) await sweepBeside(options, lease, sweepToo);
  const { prompt, switches } = await chooseDue(options);
  let swept = 0;
  for (const work of [...prompt, ...switches]) {
    if (stopping?.aborted) break;
    await sweepOne(options, lease, work);
    swept += 1;
    await sleep(await restAfter(options, swept > prompt.length), undefined, { signal: stopping }).catch(() => {});
  }
  return swept;
}

/** One of the other parts of a sweep; the lease is renewed beside it. What they write is safe to write late. */
async function sweepBeside(
  { database, log }: SweeperOptions,
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
    log.warn({ fault: loggedFault(error) }, 'a part of the sweep was put off');
  } finally {
    clearInterval(renewing);
  }
}

/**
 * What one sweep starts: first what somebody waits for, then switches. These always get some turns: verifications that wait
 * for their payers are looked at again each minute, and a thousand of them would leave no sweep to anything else.
 */
export async function chooseDue({
  database,
  leavesSwitchesOut,
}: Pick<SweeperOptions, 'database' | 'leavesSwitchesOut'>): Promise<{ prompt: OwedWork[]; switches: OwedWork[] }> {
  const prompt = await promptWork(database, sweepPace.startsPerSweep);
  const turnsLeft = Math.max(sweepPace.startsPerSweep - prompt.length, sweepPace.switchesPerSweepMin);
  return { prompt, switches: leavesSwitchesOut ? [] : await dueSwitches(database, turnsLeft) };
}

async function sweepOne(options: SweeperOptions, lease: Lease, work: OwedWork): Promise<void> {
  // Put off first: one that cannot be started must not keep the others from their turn.
  if (!(await deferWork(options.database, lease, work.workflowId, LOOK_AGAIN_SECONDS))) return;
  const wasRunning = await startOwed(options, work);
  const seconds = lookAgainSecondsOfKind[work.kind];
  if (wasRunning && seconds !== undefined) await deferRunning(options.database, lease, work.workflowId, seconds);
}

/** How long to wait before the next start, in milliseconds. */
async function restAfter({ isCreating }: SweeperOptions, wasSwitch: boolean): Promise<number> {
  if (!wasSwitch) return sweepPace.restMs;
  return (await isCreating?.()) === true ? sweepPace.restBesideCreationsMs : sweepPace.restAfterSwitchMs;
}

/**
 * Starts owed work unless it runs already; a run that is there is told of its news.
 * @returns true when it was found running
 */
export async function startOwed(options: Pick<SweeperOptions, 'gateway' | 'log'>, work: OwedWork): Promise<boolean> {
  try {
    const client = options.gateway.client();
    const run = {
      workflowId: work.workflowId,
      taskQueue: taskQueues.imports,
      args: [work.input],
      typedSearchAttributes: [
        { key: defineSearchAttributeKey('ImportKind', 'KEYWORD'), value: work.kind },
        ...supplierOf(work),
      ],
    };
    const signal = work.state === 'news' ? newsSignalOfKind[work.kind] : undefined;
    await client.withDeadline<unknown>(Date.now() + START_DEADLINE_MS, () =>
      signal === undefined
        ? client.workflow.start(workflowOfKind[work.kind], run)
        : client.workflow.signalWithStart(workflowOfKind[work.kind], { ...run, signal }),
    );
    options.log.info({ kind: work.kind }, 'owed work started');
    return false;
  } catch (error) {
    // Running already, which is what is wanted.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return true;
  }
}

/** Set at the start it costs nothing; operators look for the runs of a supplier by it. */
function supplierOf({ input }: OwedWork) {
  const { importSupplier } = (input ?? {}) as { importSupplier?: unknown };
  return typeof importSupplier === 'string'
    ? [{ key: defineSearchAttributeKey('ImportSupplier', 'KEYWORD'), value: importSupplier }]
    : [];
}
