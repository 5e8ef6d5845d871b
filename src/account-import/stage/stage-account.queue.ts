import { isOwnTimeout, isTransientError, sqlStateOf } from '../../platform/database/faults.ts';
import type { Autocommit } from '../../platform/database/prepared-query.ts';
import { activeSpan, type OpenSpan } from '../../platform/traces/traces.ts';
import { withinBatchSpan } from '../batch-span.queue.ts';
import { stageAccount, stageTogether, type StagedAccount, type StagingOutcome } from './stage-account.store.ts';

/** Concurrent statements per import supplier; further accounts are collected for the next statement. */
const CONCURRENT_STATEMENTS = 2;
/** Limits of one statement. */
const BATCH_MAX = { accounts: 32, characters: 262_144 } as const;
/** A slow statement releases its slot after this time, so that the next one starts. */
const SLOT_TIMEOUT_MS = 100;
/** Lock timeout, deadlock and serialization failure: caused by one account, not by the whole batch. */
const ERRORS_OF_ONE_ACCOUNT = new Set(['55P03', '40P01', '40001']);

interface Waiting {
  account: StagedAccount;
  span: OpenSpan | undefined;
  resolve(outcome: StagingOutcome): void;
  reject(error: unknown): void;
}

/** Queue and running statements of one import supplier. */
interface SupplierQueue {
  importSupplier: string;
  waiting: Waiting[];
  running: number;
  /** External account numbers in running statements. A second statement with one of them would block its whole batch. */
  staging: Set<string>;
}

/**
 * Batches the accounts of concurrent requests (docs/decisions/0071-batched-staging.md): while two statements of a supplier are running, new
 * accounts are collected for the next one. Each statement is an autocommit, and accounts are answered after their commit.
 * @returns a function that stages an account as `stageAccount` does
 */
export function batchStagings(database: Autocommit): (account: StagedAccount) => Promise<StagingOutcome> {
  const queues = new Map<string, SupplierQueue>();
  const startBatches = (queue: SupplierQueue): void => {
    while (queue.running < CONCURRENT_STATEMENTS) {
      const batch = nextBatch(queue);
      if (batch.length === 0) break;
      void run(queue, batch);
    }
    // A newer queue may have replaced this one.
    const isOver = queue.staging.size + queue.waiting.length + queue.running === 0;
    if (isOver && queues.get(queue.importSupplier) === queue) queues.delete(queue.importSupplier);
  };
  const run = async (queue: SupplierQueue, batch: readonly Waiting[]): Promise<void> => {
    queue.running += 1;
    let hasSlot = true;
    const releaseSlot = () => {
      if (hasSlot) queue.running -= 1;
      hasSlot = false;
    };
    const slotTimeout = setTimeout(() => {
      releaseSlot();
      startBatches(queue);
    }, SLOT_TIMEOUT_MS);
    const remaining = await stageBatch(database, queue, batch);
    clearTimeout(slotTimeout);
    releaseSlot();
    for (const one of remaining) void stageSingle(database, queue, one).then(() => startBatches(queue));
    startBatches(queue);
  };
  return (account) =>
    new Promise((resolve, reject) => {
      const { importSupplier } = account;
      let queue = queues.get(importSupplier);
      if (queue === undefined) {
        queue = { importSupplier, waiting: [], running: 0, staging: new Set() };
        queues.set(importSupplier, queue);
      }
      queue.waiting.push({ account, span: activeSpan(), resolve, reject });
      startBatches(queue);
    });
}

/** Removes the next batch, in order of arrival. An account that is being staged stays queued, and a large one forms a batch alone. */
function nextBatch(queue: SupplierQueue): Waiting[] {
  const batch: Waiting[] = [];
  const rest: Waiting[] = [];
  let characters = 0;
  let isFull = false;
  for (const one of queue.waiting) {
    const { externalAccountNumber, payloadJson } = one.account;
    isFull ||=
      batch.length === BATCH_MAX.accounts ||
      (batch.length > 0 && characters + payloadJson.length > BATCH_MAX.characters);
    if (isFull || queue.staging.has(externalAccountNumber)) {
      rest.push(one);
      continue;
    }
    queue.staging.add(externalAccountNumber);
    characters += payloadJson.length;
    batch.push(one);
  }
  queue.waiting = rest;
  return batch;
}

/**
 * Stages a batch, and answers the accounts that were staged.
 * @returns accounts to stage one by one: those not staged, to find the reason, or all if the statement failed
 */
async function stageBatch(
  database: Autocommit,
  queue: SupplierQueue,
  batch: readonly Waiting[],
): Promise<readonly Waiting[]> {
  if (batch.length === 1) {
    await stageSingle(database, queue, batch[0]!);
    return [];
  }
  try {
    const accounts = batch.map(({ account }) => account);
    const staged = await withinBatchSpan('staging batch', batch, () =>
      stageTogether(database, queue.importSupplier, accounts),
    );
    return batch.filter((one) => {
      const outcome = staged.get(one.account.externalAccountNumber);
      if (outcome === undefined) return true;
      queue.staging.delete(one.account.externalAccountNumber);
      one.resolve(outcome);
      return false;
    });
  } catch (error) {
    if (!concernsBatch(error)) return batch;
    for (const one of batch) {
      queue.staging.delete(one.account.externalAccountNumber);
      one.reject(error);
    }
    return [];
  }
}

/** The database is unavailable or its answer was lost. Single statements would fail too, and the accounts may already be staged. */
function concernsBatch(error: unknown): boolean {
  return isTransientError(error) && !isOwnTimeout(error) && !ERRORS_OF_ONE_ACCOUNT.has(sqlStateOf(error) ?? '');
}

async function stageSingle(database: Autocommit, queue: SupplierQueue, one: Waiting): Promise<void> {
  await stageAccount(database, one.account).then(one.resolve, one.reject);
  queue.staging.delete(one.account.externalAccountNumber);
}
