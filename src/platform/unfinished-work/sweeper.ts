import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { lookAgainSecondsOfKind, newsSignalOfKind, sweepPace, taskQueues, workflowOfKind } from '../../../temporal.config.ts';
import type { Database } from '../database/database.ts';
import { loggedFault, type Log } from '../log.ts';
import type { TemporalGateway } from '../temporal/temporal-gateway.ts';
import { dueSwitches, lookAgainLater, lookAgainMuchLater, promptWork, type OwedWork } from './unfinished-work.store.ts';

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
/** Key of the advisory lock that makes this the only sweeper over all processes. */
const LOCK_KEY = 4_716_203;

/**
 * Starts owed work whose workflow is not running: never started, or lost with a restored engine. Rows are removed by the
 * transaction that settles the work, so a row that is still there is still owed.
 * @returns a function that stops the sweeper and waits for the sweep under way
 */
export function startSweeper(options: SweeperOptions): () => Promise<void> {
  const stopping = new AbortController();
  const running = (async () => {
    let isMoreDue = false;
    while (!stopping.signal.aborted) {
      if (!isMoreDue) await sleep(options.intervalMs ?? sweepPace.everyMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      isMoreDue = await sweep(options, stopping.signal).then((swept) => swept >= sweepPace.startsPerSweep, (error: Error) => {
        options.log.warn({ fault: error.name }, 'sweep put off');
        return false;
      });
    }
  })();
  return async () => {
    stopping.abort();
    await running;
  };
}

/** One sweep; resolves to the number of workflows started or found running. Does nothing while another process sweeps. */
export async function sweep(options: SweeperOptions, stopping?: AbortSignal): Promise<number> {
  const client = await options.database.pool.connect();
  try {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [LOCK_KEY]);
    const swept = rows[0]?.locked ? await sweepDue(options, stopping) : 0;
    if (rows[0]?.locked) await client.query('select pg_advisory_unlock($1)', [LOCK_KEY]);
    client.release();
    return swept;
  } catch (error) {
    // Ends the connection, and the lock with it.
    client.release(true);
    throw error;
  }
}

async function sweepDue(options: SweeperOptions, stopping: AbortSignal | undefined): Promise<number> {
  for (const sweepToo of options.alsoSweep ?? []) {
    await sweepToo().catch((error: unknown) => options.log.warn({ fault: loggedFault(error) }, 'a part of the sweep was put off'));
  }
  const { prompt, switches } = await chooseDue(options);
  let swept = 0;
  for (const work of [...prompt, ...switches]) {
    if (stopping?.aborted) break;
    await sweepOne(options, work);
    swept += 1;
    await sleep(await restAfter(options, swept > prompt.length), undefined, { signal: stopping }).catch(() => {});
  }
  return swept;
}

/**
 * What one sweep starts: first what somebody waits for, then switches. These always get some turns: verifications that wait
 * for their payers are looked at again each minute, and a thousand of them would leave no sweep to anything else.
 */
export async function chooseDue({ database, leavesSwitchesOut }: Pick<SweeperOptions, 'database' | 'leavesSwitchesOut'>): Promise<{ prompt: OwedWork[]; switches: OwedWork[] }> {
  const prompt = await promptWork(database, sweepPace.startsPerSweep);
  const turnsLeft = Math.max(sweepPace.startsPerSweep - prompt.length, sweepPace.switchesPerSweepMin);
  return { prompt, switches: leavesSwitchesOut ? [] : await dueSwitches(database, turnsLeft) };
}

async function sweepOne(options: SweeperOptions, work: OwedWork): Promise<void> {
  // Put off first: one that cannot be started must not keep the others from their turn.
  await lookAgainLater(options.database, work.workflowId, LOOK_AGAIN_SECONDS);
  const wasRunning = await startOwed(options, work);
  const seconds = lookAgainSecondsOfKind[work.kind];
  if (wasRunning && seconds !== undefined) await lookAgainMuchLater(options.database, work.workflowId, seconds);
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
      workflowId: work.workflowId, taskQueue: taskQueues.imports, args: [work.input],
      typedSearchAttributes: [{ key: defineSearchAttributeKey('ImportKind', 'KEYWORD'), value: work.kind }, ...supplierOf(work)],
    };
    const signal = work.state === 'news' ? newsSignalOfKind[work.kind] : undefined;
    await client.withDeadline<unknown>(Date.now() + START_DEADLINE_MS, () => (signal === undefined
      ? client.workflow.start(workflowOfKind[work.kind], run)
      : client.workflow.signalWithStart(workflowOfKind[work.kind], { ...run, signal })));
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
  return typeof importSupplier === 'string' ? [{ key: defineSearchAttributeKey('ImportSupplier', 'KEYWORD'), value: importSupplier }] : [];
}
