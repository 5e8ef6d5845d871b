import { isOwnTimeout, isTransientError, sqlStateOf } from '../../platform/database/faults.ts';
import type { Queryable } from '../../platform/database/prepared-query.ts';
import { activeSpan, type OpenSpan } from '../../platform/traces/traces.ts';
import { withinBatchSpan } from '../batch-span.queue.ts';
import { stageAccount, type StagedAccount, type StagingOutcome } from './stage-account.store.ts';
import { stageTogether } from './stage-accounts.store.ts';

/** Concurrent statements of one import supplier; later accounts are collected for the next one. */
const UNDER_WAY_MAX = 2;
/** Most of one statement. */
const TOGETHER_MAX = { accounts: 32, characters: 262_144 } as const;
/** A statement that takes longer than a full one usually does releases its slot, so that the next one starts. */
const PLACE_HELD_MS = 100;
/** A lock that was not had in time, a deadlock, a serialisation failure: of one account, and not of those beside it. */
const OF_ONE_ACCOUNT = new Set(['55P03', '40P01', '40001']);

interface Waiting {
  account: StagedAccount;
  span: OpenSpan | undefined;
  resolve(outcome: StagingOutcome): void;
  reject(error: unknown): void;
}

/** Queue and running statements of one import supplier. */
interface Lane {
  importSupplier: string;
  waiting: Waiting[];
  underWay: number;
  /** External account numbers of the statements under way: a second one would wait for the first, with all beside it. */
  inHand: Set<string>;
}

/**
 * Batches the accounts of concurrent requests (docs/decisions/0071-batched-staging.md): while two statements of a supplier are running,
 * new accounts are collected for the next one. Each statement is an autocommit, and each account is answered after its commit.
 * @returns a function that stages an account as `stageAccount` does
 */
export function gatherStagings(database: Queryable): (account: StagedAccount) => Promise<StagingOutcome> {
  const lanes = new Map<string, Lane>();
  const startNext = (lane: Lane): void => {
    while (lane.underWay < UNDER_WAY_MAX) {
      const batch = take(lane);
      if (batch.length === 0) break;
      void run(lane, batch);
    }
    // A newer queue may have replaced this one since its last account was answered.
    const isOver = lane.inHand.size + lane.waiting.length + lane.underWay === 0;
    if (isOver && lanes.get(lane.importSupplier) === lane) lanes.delete(lane.importSupplier);
  };
  const run = async (lane: Lane, batch: readonly Waiting[]): Promise<void> => {
    lane.underWay += 1;
    let hasPlace = true;
    const giveBackPlace = () => {
      if (hasPlace) lane.underWay -= 1;
      hasPlace = false;
    };
    const heldLongEnough = setTimeout(() => {
      giveBackPlace();
      startNext(lane);
    }, PLACE_HELD_MS);
    const alone = await stageBatch(database, lane, batch);
    clearTimeout(heldLongEnough);
    giveBackPlace();
    for (const one of alone) void stageAlone(database, lane, one).then(() => startNext(lane));
    startNext(lane);
  };
  return (account) =>
    new Promise((resolve, reject) => {
      const { importSupplier } = account;
      let lane = lanes.get(importSupplier);
      if (lane === undefined) {
        lane = { importSupplier, waiting: [], underWay: 0, inHand: new Set() };
        lanes.set(importSupplier, lane);
      }
      lane.waiting.push({ account, span: activeSpan(), resolve, reject });
      startNext(lane);
    });
}

/** Takes the next batch, in order of arrival. An account that is being staged stays queued, and a large one is a batch alone. */
function take(lane: Lane): Waiting[] {
  const batch: Waiting[] = [];
  const left: Waiting[] = [];
  let characters = 0;
  let isFull = false;
  for (const one of lane.waiting) {
    const { externalAccountNumber, payloadJson } = one.account;
    isFull ||=
      batch.length === TOGETHER_MAX.accounts ||
      (batch.length > 0 && characters + payloadJson.length > TOGETHER_MAX.characters);
    if (isFull || lane.inHand.has(externalAccountNumber)) {
      left.push(one);
      continue;
    }
    lane.inHand.add(externalAccountNumber);
    characters += payloadJson.length;
    batch.push(one);
  }
  lane.waiting = left;
  return batch;
}

/**
 * Stages a batch, and answers the accounts that it staged.
 * @returns accounts to stage one by one: they were not staged, and a single statement says why; or the statement failed, because one bad row fails it for all
 */
async function stageBatch(database: Queryable, lane: Lane, batch: readonly Waiting[]): Promise<readonly Waiting[]> {
  if (batch.length === 1) {
    await stageAlone(database, lane, batch[0]!);
    return [];
  }
  try {
    const accounts = batch.map(({ account }) => account);
    const staged = await withinBatchSpan('staging batch', batch, () =>
      stageTogether(database, lane.importSupplier, accounts),
    );
    return batch.filter((one) => {
      const outcome = staged.get(one.account.externalAccountNumber);
      if (outcome === undefined) return true;
      lane.inHand.delete(one.account.externalAccountNumber);
      one.resolve(outcome);
      return false;
    });
  } catch (error) {
    if (!isOfAll(error)) return batch;
    for (const one of batch) {
      lane.inHand.delete(one.account.externalAccountNumber);
      one.reject(error);
    }
    return [];
  }
}

/** The database is away, or the answer was lost: each alone would meet the same, and may be staged already. */
function isOfAll(error: unknown): boolean {
  return isTransientError(error) && !isOwnTimeout(error) && !OF_ONE_ACCOUNT.has(sqlStateOf(error) ?? '');
}

async function stageAlone(database: Queryable, lane: Lane, one: Waiting): Promise<void> {
  await stageAccount(database, one.account).then(one.resolve, one.reject);
  lane.inHand.delete(one.account.externalAccountNumber);
}
