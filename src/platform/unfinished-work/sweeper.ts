import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { taskQueues } from '../../../temporal.config.ts';
import type { Database } from '../database/database.ts';
import type { Log } from '../log.ts';
import type { TemporalGateway } from '../temporal/temporal-gateway.ts';
import { dueWork, lookAgainLater, type OwedWork, type WorkKind } from './unfinished-work.store.ts';

export interface SweeperOptions {
  database: Database;
  gateway: TemporalGateway;
  log: Log;
  intervalMs?: number;
}

const INTERVAL_MS = 30_000;
/** Slow on purpose: after an outage interactive work comes first. */
const STARTS_PER_SECOND = 10;
const LOOK_AGAIN_SECONDS = 60;
/** Key of the advisory lock that makes this the only sweeper over all processes. */
const LOCK_KEY = 4_716_203;

const workflowOfKind = {
  'create-account': 'createAccount',
} as const satisfies Record<WorkKind, string>;

/**
 * Starts owed work whose workflow is not running: never started, or lost with a restored engine. Rows are removed by the
 * transaction that settles the work, so a row that is still there is still owed.
 * @returns a function that stops the sweeper and waits for the sweep under way
 */
export function startSweeper(options: SweeperOptions): () => Promise<void> {
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await sleep(options.intervalMs ?? INTERVAL_MS, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      await sweep(options, stopping.signal).catch((error: Error) => options.log.warn({ fault: error.name }, 'sweep put off'));
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
    if (!rows[0]?.locked) return 0;
    try {
      let swept = 0;
      for (const work of await dueWork(options.database, STARTS_PER_SECOND * 25)) {
        if (stopping?.aborted) break;
        await startOwed(options, work);
        await lookAgainLater(options.database, work.workflowId, LOOK_AGAIN_SECONDS);
        swept += 1;
        await sleep(1_000 / STARTS_PER_SECOND);
      }
      return swept;
    } finally {
      await client.query('select pg_advisory_unlock($1)', [LOCK_KEY]);
    }
  } finally {
    client.release();
  }
}

async function startOwed(options: SweeperOptions, work: OwedWork): Promise<void> {
  try {
    await options.gateway.client().workflow.start(workflowOfKind[work.kind], {
      workflowId: work.workflowId, taskQueue: taskQueues.imports, args: [work.input],
    });
    options.log.info({ kind: work.kind }, 'owed work started');
  } catch (error) {
    // Running already, which is what is wanted.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
