import pMap from 'p-map';
import type { Database } from '../../src/platform/database/database.ts';
import { NoSlot, type CallSlots } from '../../src/supply-points/throttle/call-slot.queue.ts';
import {
  findTries,
  releasePage,
  type Lookup,
  type LookupOutcome,
  type AcquiredPage,
} from '../../src/supply-points/lookup/lookup.store.ts';
import type { DeferredSummary } from '../../src/supply-points/populate/population-batch.rules.ts';
import { failedOutcome, type Failure } from '../../src/supply-points/lookup/lookup.rules.ts';
import type { OutcomeQueue } from '../../src/supply-points/lookup/outcome.queue.ts';
import { blockFor, hasAnsweredRecently, recordAnswered } from '../../src/supply-points/throttle/throttle.store.ts';
import type { SendSlot } from '../../src/platform/vendor-http/vendor-agent.ts';
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
  /** Identifiers in the page, concurrent calls, and the time after which it releases the rest. */
  size: number;
  callsAtOnce: number;
  seconds: number;
  identifier: IdentifierBudget;
}

/** The result of a page. `idle`: no lookup was due, or the network operator cannot be called for this time (null: until a signal). */
export type PageResult = ({ kind: 'worked' } | { kind: 'idle'; waitSeconds: number | null }) & {
  /** The deferred lookups of the network operator after the page, if any. */
  deferred?: DeferredSummary | undefined;
};

/** Shared by all pages of one network operator in this process. */
export interface PageDeps {
  database: Database;
  networkOperator: NetworkOperatorName;
  client: NetworkOperator;
  slots: CallSlots;
  outcomes: OutcomeQueue;
  /** Receives the batches that have ended. */
  reportEnded: (ended: readonly string[]) => void;
}

/** Pause while a network operator is paused; setting its speed wakes the run. */
const PAUSED_SECONDS = 60;

/** Pages end at random times after this share of their time, so that one page is always ready for the next slot. */
const SHORTEST_SHARE = 0.6;

/** The state of a page in progress. */
interface PageRun {
  /** Responses about points, including rejections. */
  answered: number;
  failures: Failure[];
  /** A failure of the network operator as a whole. */
  vendorError: VendorError | undefined;
  /** An outcome could not be stored. */
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
 * Looks up the identifiers of a page concurrently, each in its slot, and stores the outcomes.
 * @throws VendorError when the network operator as a whole is down or rejects our credentials; no identifier loses a try then
 */
export async function workOffPage(
  deps: PageDeps,
  input: PageInput,
  page: AcquiredPage,
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
  const { lookups, attemptId } = page;
  const lookupInSlot = async (lookup: Lookup): Promise<void> => {
    const slot = isOver(run) ? undefined : await nextSlot(deps, run, page.owner);
    if (slot !== undefined) await sendLookup(deps, run, lookup, slot);
  };
  // After a failure the calls in progress still end and store their outcomes.
  await pMap(
    lookups,
    (lookup) =>
      lookupInSlot(lookup).catch((error: unknown) => {
        run.fault ??= { error };
      }),
    { concurrency: input.callsAtOnce },
  );
  if (run.answered > 0) await recordAnswered(database, networkOperator);
  // If the network operator answers other calls, the failures concern these identifiers alone.
  const isDown =
    run.vendorError !== undefined || (run.answered === 0 && !(await hasAnsweredRecently(database, networkOperator)));
  const counted =
    run.vendorError !== undefined
      ? []
      : run.failures.filter(({ error }) => !isDown || error instanceof SupplyPointError);
  deps.reportEnded(
    await releasePage(
      database,
      networkOperator,
      { pageId: input.pageId, attemptId },
      await outcomesOf(database, counted, input.identifier),
    ),
  );
  cancelled.throwIfAborted();
  if (run.fault) throw run.fault.error;
  if (run.vendorError) throw run.vendorError;
  if (isDown && run.failures.length > counted.length) throw run.failures[0]?.error as Error;
  return run.waitSeconds === undefined ? { kind: 'worked' } : { kind: 'idle', waitSeconds: run.waitSeconds };
}

async function nextSlot({ slots }: PageDeps, run: PageRun, owner: string): Promise<SendSlot | undefined> {
  const slot = await slots.next({ owner, endsAt: run.endsAt });
  if (slot.isFree) return slot.sendSlot;
  noteWait(run, slot.waitSeconds);
  return undefined;
}

/** A wait of 0 means that the page ended before it got a slot. */
function noteWait(run: PageRun, waitSeconds: number | null): void {
  if (waitSeconds !== 0) run.waitSeconds = waitSeconds ?? PAUSED_SECONDS;
}

async function sendLookup(
  { database, networkOperator, client, outcomes }: PageDeps,
  run: PageRun,
  lookup: Lookup,
  slot: SendSlot,
): Promise<void> {
  try {
    const facts = await client.lookup(lookup.identifier, {
      customerAuthorisation: lookup.customerAuthorisation,
      signal: run.cancelled,
      slot,
    });
    run.answered += 1;
    await outcomes.add({ ...lookup, kind: 'imported', facts, source: client.source });
  } catch (error) {
    if (error instanceof VendorRejected) {
      run.answered += 1;
      await outcomes.add({ ...lookup, kind: 'errored', reason: error.reason });
    } else if (error instanceof VendorBusy) {
      // This is not a failure: all workers pause, and the identifier is looked up again.
      await blockFor(database, networkOperator, error.retryAfterSeconds);
      run.waitSeconds = error.retryAfterSeconds;
    } else if (error instanceof NoSlot) noteWait(run, error.waitSeconds);
    else if (error instanceof VendorMisconfigured || (error instanceof VendorUnavailable && !error.wasCalled)) {
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
