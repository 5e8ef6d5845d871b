import pMap from 'p-map';
import type { Database } from '../../src/platform/database/database.ts';
import { NoSlot, type CallSlots } from '../../src/supply-points/throttle/call-slot.queue.ts';
import {
  findTries,
  releasePage,
  type Lookup,
  type LookupOutcome,
  type TakenLookups,
} from '../../src/supply-points/lookup/lookup.store.ts';
import type { DeferredSummary } from '../../src/supply-points/lookup/deferred-lookup.store.ts';
import { failedOutcome, type Failure } from '../../src/supply-points/lookup/lookup.rules.ts';
import type { OutcomeQueue } from '../../src/supply-points/lookup/outcome.queue.ts';
import { blockFor, hasAnsweredLately, recordAnswered } from '../../src/supply-points/throttle/throttle.store.ts';
import type { SendTurn } from '../../src/platform/vendor-http/vendor-agent.ts';
import { SupplyPointError, type NetworkOperator } from '../../src/vendors/network-operator/network-operator.port.ts';
import type { NetworkOperatorName } from '../../src/vocabulary/network-operators.ts';
import {
  VendorBusy,
  VendorMisconfigured,
  VendorRejected,
  VendorUnavailable,
  type VendorError,
} from '../../src/vocabulary/vendor-errors.ts';
import type { IdentifierBudget } from '../../temporal.config.ts';

export interface PageInput {
  pageId: string;
  networkOperator: NetworkOperatorName;
  /** Identifiers in the page, calls at once, and after how long at most it gives back what it has not asked. */
  size: number;
  callsAtOnce: number;
  seconds: number;
  identifier: IdentifierBudget;
}

/** What became of a page; `idle`: there was nothing to ask, or the network operator may not be asked for so long (null: until something happens). */
export type PageResult = ({ kind: 'worked' } | { kind: 'idle'; waitSeconds: number | null }) & {
  /** What is deferred at the network operator after the page; absent when nothing is. */
  deferred?: DeferredSummary | undefined;
};

/** What all pages of one network operator in this process share. */
export interface PageDeps {
  database: Database;
  networkOperator: NetworkOperatorName;
  client: NetworkOperator;
  slots: CallSlots;
  outcomes: OutcomeQueue;
  /** Told the batches that have ended. */
  tell: (ended: readonly string[]) => void;
}

/** While a network operator is paused nobody has to look often: whoever sets its speed wakes the run. */
const PAUSED_SECONDS = 60;

/** Pages that begin together end one after the other: so there is always one that uses the next slot. */
const SHORTEST_SHARE = 0.6;

/** What has happened in a page so far. */
interface PageRun {
  /** Answers about points, refusals included. */
  answered: number;
  failures: Failure[];
  /** Of the network operator as a whole. */
  vendorError: VendorError | undefined;
  /** Of ours: an outcome could not be written. */
  fault: { error: unknown } | undefined;
  waitSeconds: number | undefined;
  endsAt: number;
  cancelled: AbortSignal;
}

function isOver({ vendorError, fault, waitSeconds, endsAt, cancelled }: PageRun): boolean {
  const hasEnded = vendorError !== undefined || fault !== undefined || waitSeconds !== undefined;
  return hasEnded || cancelled.aborted || performance.now() > endsAt;
}

/**
 * Asks for the identifiers of a page, several at once, each when its slot comes, and writes what becomes of them.
 * @throws VendorError when the network operator as a whole is down or refuses us; nothing of the page is used up then
 */
export async function workOffPage(
  deps: PageDeps,
  input: PageInput,
  page: TakenLookups,
  cancelled: AbortSignal,
): Promise<PageResult> {
  const { database, networkOperator } = deps;
  const run: PageRun = {
    answered: 0,
    failures: [],
    vendorError: undefined,
    fault: undefined,
    waitSeconds: undefined,
    endsAt: performance.now() + input.seconds * 1_000 * (SHORTEST_SHARE + (1 - SHORTEST_SHARE) * Math.random()),
    cancelled,
  };
  const { lookups, takenBy } = page;
  const askInTurn = async (lookup: Lookup): Promise<void> => {
    const turn = isOver(run) ? undefined : await nextTurn(deps, run, page.owner);
    if (turn !== undefined) await ask(deps, run, lookup, turn);
  };
  // What is under way when one fails is waited for: each of them writes down what it was told.
  await pMap(
    lookups,
    (lookup) =>
      askInTurn(lookup).catch((error: unknown) => {
        run.fault ??= { error };
      }),
    { concurrency: input.callsAtOnce },
  );
  if (run.answered > 0) await recordAnswered(database, networkOperator);
  // Whose fault the failures are: a network operator that answers others fails on these identifiers alone.
  const isDown =
    run.vendorError !== undefined || (run.answered === 0 && !(await hasAnsweredLately(database, networkOperator)));
  const counted =
    run.vendorError !== undefined
      ? []
      : run.failures.filter(({ error }) => !isDown || error instanceof SupplyPointError);
  deps.tell(
    await releasePage(
      database,
      networkOperator,
      { pageId: input.pageId, takenBy },
      await outcomesOf(database, counted, input.identifier),
    ),
  );
  cancelled.throwIfAborted();
  if (run.fault) throw run.fault.error;
  if (run.vendorError) throw run.vendorError;
  if (isDown && run.failures.length > counted.length) throw run.failures[0]?.error as Error;
  return run.waitSeconds === undefined ? { kind: 'worked' } : { kind: 'idle', waitSeconds: run.waitSeconds };
}

async function nextTurn({ slots }: PageDeps, run: PageRun, owner: string): Promise<SendTurn | undefined> {
  const slot = await slots.next({ owner, endsAt: run.endsAt });
  if (slot.isFree) return slot.turn;
  noteWait(run, slot.waitSeconds);
  return undefined;
}

/** A wait of no time at all: the page was over before its turn came. */
function noteWait(run: PageRun, waitSeconds: number | null): void {
  if (waitSeconds !== 0) run.waitSeconds = waitSeconds ?? PAUSED_SECONDS;
}

async function ask(
  { database, networkOperator, client, outcomes }: PageDeps,
  run: PageRun,
  lookup: Lookup,
  turn: SendTurn,
): Promise<void> {
  try {
    const facts = await client.lookup(lookup.identifier, {
      customerAuthorisation: lookup.customerAuthorisation,
      signal: run.cancelled,
      turn,
    });
    run.answered += 1;
    await outcomes.add({ ...lookup, kind: 'imported', facts, source: client.source });
  } catch (error) {
    if (error instanceof VendorRejected) {
      run.answered += 1;
      await outcomes.add({ ...lookup, kind: 'errored', reason: error.reason });
    } else if (error instanceof VendorBusy) {
      // A wait, never a failure: nobody calls until then, and the identifier is asked for again.
      await blockFor(database, networkOperator, error.retryAfterSeconds);
      run.waitSeconds = error.retryAfterSeconds;
    } else if (error instanceof NoSlot) noteWait(run, error.waitSeconds);
    else if (error instanceof VendorMisconfigured || (error instanceof VendorUnavailable && !error.wasAsked)) {
      run.vendorError ??= error;
    } else if (error instanceof VendorUnavailable) run.failures.push({ ...lookup, error });
    else throw error;
  }
}

async function outcomesOf(
  database: Database,
  failures: readonly Failure[],
  budget: IdentifierBudget,
): Promise<LookupOutcome[]> {
  if (failures.length === 0) return [];
  const tries = await findTries(
    database,
    failures.map(({ id }) => id),
  );
  return failures.map((failure) => failedOutcome(failure, tries.get(failure.id) ?? { tries: 0, seconds: 0 }, budget));
}
