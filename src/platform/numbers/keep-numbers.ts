import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../database/database.ts';
import { wakeAllWork } from '../work-items/work-item.store.ts';
import { loggedFault, type Log } from '../log.ts';
import type { TemporalGateway } from '../temporal/temporal-gateway.ts';
import { decideReservation, isWellAhead, type DatabaseMark, type NumberMarks } from './decide-reservation.ts';
import { readNumberMark, writeNumberMark } from './number-mark.store.ts';
import { Client, WorkflowIdConflictPolicy, WorkflowNotFoundError } from '@temporalio/client';
import { taskQueues, workflowIds } from '../../../temporal.config.ts';

interface NumberKeeperOptions {
  database: Database;
  gateway: TemporalGateway;
  log: Log;
}

interface NumberKeeper {
  /** Whether no numbers can be issued, so that nothing can be created. About a second old. */
  areUnavailable(): boolean;
  stop(): Promise<void>;
}

const EVERY_MS = 1_000;
/** Total time of the calls of one reservation; less than a transaction may idle. */
const DEADLINE_MS = 2_500;

/**
 * Reserves numbers ahead of their use, first in Temporal, then in the database: if one of them is set back, the other still has the numbers
 * that may have been issued. Normally this costs one query per second. Runs in each process; reservations are serialized.
 */
export function startNumberKeeper(options: NumberKeeperOptions): NumberKeeper {
  const stopping = new AbortController();
  let areUnavailable = true;
  let isFailing = false;
  const keeping = (async () => {
    while (!stopping.signal.aborted) {
      try {
        await keepNumbers(options);
        areUnavailable = false;
        if (isFailing) options.log.info('numbers are given again');
        isFailing = false;
      } catch (error) {
        areUnavailable = await areLost(options.database);
        if (!isFailing && !stopping.signal.aborted) {
          options.log.warn(
            { areUnavailable, fault: loggedFault(error) },
            areUnavailable
              ? 'no numbers can be reserved: nothing is created'
              : 'no numbers can be reserved; those that are reserved are given on',
          );
        }
        isFailing = true;
      }
      await sleep(EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return {
    areUnavailable: () => areUnavailable,
    stop: async () => {
      stopping.abort();
      await keeping;
    },
  };
}

/** Reserves numbers if few are left, or if the database was replaced or set back. Then it also wakes all work. */
async function keepNumbers({ database, gateway, log }: NumberKeeperOptions): Promise<void> {
  if (isFine(await readNumberMark(database))) return;
  const client = gateway.client();
  await database.transaction(async (em) => {
    const mark = await readNumberMark(em, true);
    if (isFine(mark)) return;
    await client.withDeadline(Date.now() + DEADLINE_MS, async () => {
      const kept = await readKeptMarks(client);
      const account = decideReservation('account', mark, kept?.marks);
      const business = decideReservation('business', mark, kept?.marks);
      const isFirstStart = mark.holds === undefined && kept === undefined;
      if (isFirstStart) log.info('numbers begin: nothing was given by this database or before it');
      else if (account.leap || business.leap) {
        log.warn(
          {
            accountFrom: account.from,
            businessFrom: business.from,
            isMarkKept: kept !== undefined,
            isNew: mark.holds === undefined,
          },
          'numbers leap: the database is new, was started anew, or is older than what was given',
        );
      }
      await keepMarks(client, kept, { account: account.until, business: business.until });
      await writeNumberMark(em, account, business);
    });
    if (mark.holds === false) await wakeAllWork(em);
  });
}

function isFine(mark: DatabaseMark): boolean {
  return mark.holds === true && isWellAhead(mark.account, 'account') && isWellAhead(mark.business, 'business');
}

async function areLost(database: Database): Promise<boolean> {
  try {
    const { holds, account, business } = await readNumberMark(database);
    return holds !== true || account.last >= account.until || business.last >= business.until;
  } catch {
    return true;
  }
}

interface KeptMarks {
  marks: NumberMarks;
  /** Run whose memo stores the marks; undefined if it was terminated before its successor was started. */
  runId: string | undefined;
}

/** The run never executes. It exists only for its memo, which can be read and replaced without a worker. */
const NEVER = '36500d';

/** A run paused by an operator is open too. */
const OPEN: ReadonlySet<string> = new Set(['RUNNING', 'PAUSED']);

/** A client without payload encryption. The marks are not confidential and must stay readable if the payload key is changed or lost. */
function plainClient({ connection, options: { namespace } }: Client): Client {
  return new Client({ connection, namespace });
}

/** Reads the marks stored in Temporal; undefined if there are none. */
export async function readKeptMarks(client: Client): Promise<KeptMarks | undefined> {
  try {
    const { memo, runId, status } = await plainClient(client).workflow.getHandle(workflowIds.numberMarks).describe();
    const { account, business } = (memo ?? {}) as Partial<NumberMarks>;
    if (!Number.isSafeInteger(account) || !Number.isSafeInteger(business)) return undefined;
    return {
      marks: { account: account as number, business: business as number },
      runId: OPEN.has(status.name) ? runId : undefined,
    };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/**
 * Replaces the marks, unless another process did so meanwhile.
 * @throws if the stored marks are no longer `before`; nothing is then replaced
 */
export async function keepMarks(client: Client, before: KeptMarks | undefined, marks: NumberMarks): Promise<void> {
  // Of two concurrent replacements one terminates the run; the other gets an error.
  if (before?.runId !== undefined) {
    await client.workflow.getHandle(workflowIds.numberMarks, before.runId).terminate('replaced by higher marks');
  }
  await plainClient(client).workflow.start('numberMarks', {
    workflowId: workflowIds.numberMarks,
    taskQueue: taskQueues.imports,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.FAIL,
    startDelay: NEVER,
    memo: { ...marks },
    staticSummary:
      'Keeps the highest numbers of accounts and businesses that were ever reserved; never runs, and must not be ended',
  });
}
