import { Context } from '@temporalio/activity';
import type { Database } from '../../src/platform/database/database.ts';
import { loggedFault, type Log } from '../../src/platform/log.ts';
import { createCallSlots } from '../../src/supply-points/call-slot.queue.ts';
import { findTries, releasePage, settleLookUps, takePage, type LookUp, type LookUpOutcome } from '../../src/supply-points/look-up.store.ts';
import { failedOutcome, type Failure } from '../../src/supply-points/look-up.rules.ts';
import { createOutcomeQueue } from '../../src/supply-points/outcome.queue.ts';
import { blockFor, hasAnsweredLately, noteAnswered, takeSlots } from '../../src/supply-points/throttle.store.ts';
import { PointFails, type NetworkOperator } from '../../src/vendors/network-operator/network-operator.port.ts';
import type { NetworkOperatorName } from '../../src/vocabulary/network-operators.ts';
import { VendorBusy, VendorMisconfigured, VendorRejected, VendorTrouble, VendorUnavailable } from '../../src/vocabulary/vendor-trouble.ts';
import type { IdentifierBudget } from '../../temporal.config.ts';
import { vendorFailure } from '../failures.ts';

export type LookUpActivities = ReturnType<typeof lookUpActivities>;

export interface PageInput {
  pageId: string;
  networkOperator: NetworkOperatorName;
  /** Identifiers in the page, calls at once, and after how long it gives back what it has not asked. */
  size: number;
  callsAtOnce: number;
  seconds: number;
  identifier: IdentifierBudget;
}

/** What became of a page; `idle`: there was nothing to ask, or the operator may not be asked for so long (null: until something happens). */
export type PageResult = { kind: 'worked' } | { kind: 'idle'; waitSeconds: number | null };

/** While an operator is paused nobody has to look often: whoever sets its speed wakes the run. */
const PAUSED_SECONDS = 60;
const HEARTBEAT_MS = 2_000;

interface LookUpDeps {
  database: Database;
  networkOperator: NetworkOperatorName;
  operator: NetworkOperator;
  /** What was looked up within so many days is not asked for again. */
  knownDays: number;
  log: Log;
}

/** The activity of one operator's queue: asks for a page of identifiers, at the set speed. */
export function lookUpActivities({ database, networkOperator, operator, knownDays, log }: LookUpDeps) {
  const slots = createCallSlots((wanted) => takeSlots(database, networkOperator, wanted));
  const outcomes = createOutcomeQueue((some) => settleLookUps(database, networkOperator, some));

  return {
    /**
     * Works off one page. Each outcome is written by itself; a second run of the same page asks only for what is left.
     * Trouble of the operator as a whole ends the page, gives back what was not asked, and uses no identifier up.
     */
    async lookUpPage(input: PageInput): Promise<PageResult> {
      const heartbeat = setInterval(() => Context.current().heartbeat(), HEARTBEAT_MS);
      try {
        const page = await takePage(database, { ...input, knownDays });
        if ('dueSeconds' in page) return { kind: 'idle', waitSeconds: page.dueSeconds };
        return await workOff(input, page.lookUps, Context.current().cancellationSignal);
      } catch (error) {
        if (!(error instanceof VendorTrouble)) log.warn({ networkOperator, fault: loggedFault(error) }, 'page of look-ups failed');
        if (error instanceof VendorMisconfigured) log.error({ networkOperator, fault: loggedFault(error) }, 'the network operator refuses us; its look-ups stand still until this is mended');
        // Cancelled is no failure of anybody.
        if (Context.current().cancellationSignal.aborted) throw Context.current().cancellationSignal.reason;
        throw vendorFailure(error);
      } finally {
        clearInterval(heartbeat);
      }
    },
  };

  async function workOff(input: PageInput, lookUps: readonly LookUp[], cancelled: AbortSignal): Promise<PageResult> {
    const run: PageRun = { answered: 0, failures: [], trouble: undefined, waitSeconds: undefined, endsAt: performance.now() + input.seconds * 1_000, cancelled };
    const left = lookUps.values();
    const lane = async (): Promise<void> => {
      for (const lookUp of left) {
        if (isOver(run) || !(await mayCall(run))) return;
        await ask(run, lookUp);
      }
    };
    const lanes = await Promise.allSettled(Array.from({ length: Math.min(input.callsAtOnce, lookUps.length) }, lane));
    if (run.answered > 0) await noteAnswered(database, networkOperator);
    // Whose fault the failures are: an operator that answers others fails on these identifiers alone.
    const isDown = run.trouble !== undefined || (run.answered === 0 && !(await hasAnsweredLately(database, networkOperator)));
    const counted = run.trouble !== undefined ? [] : run.failures.filter(({ error }) => !isDown || error instanceof PointFails);
    await releasePage(database, networkOperator, input.pageId, await outcomesOf(counted, input.identifier));
    cancelled.throwIfAborted();
    for (const one of lanes) if (one.status === 'rejected') throw one.reason as Error;
    if (run.trouble) throw run.trouble;
    if (isDown && run.failures.length > counted.length) throw run.failures[0]?.error as Error;
    return run.waitSeconds === undefined ? { kind: 'worked' } : { kind: 'idle', waitSeconds: run.waitSeconds };
  }

  async function mayCall(run: PageRun): Promise<boolean> {
    const slot = await slots.next();
    if (slot.isFree) return true;
    run.waitSeconds = slot.waitSeconds ?? PAUSED_SECONDS;
    return false;
  }

  async function ask(run: PageRun, { id, identifier }: LookUp): Promise<void> {
    try {
      const facts = await operator.lookUp(identifier, run.cancelled);
      run.answered += 1;
      await outcomes.add({ id, identifier, kind: 'imported', facts, source: operator.source });
    } catch (error) {
      if (error instanceof VendorRejected) {
        run.answered += 1;
        await outcomes.add({ id, identifier, kind: 'errored', reason: error.reason });
      } else if (error instanceof VendorBusy) {
        // A wait, never a failure: nobody calls until then, and the identifier is asked for again.
        await blockFor(database, networkOperator, error.retryAfterSeconds);
        run.waitSeconds = error.retryAfterSeconds;
      } else if (error instanceof VendorMisconfigured || (error instanceof VendorUnavailable && !error.wasAsked)) {
        run.trouble ??= error;
      } else if (error instanceof VendorUnavailable) run.failures.push({ id, identifier, error });
      else throw error;
    }
  }

  async function outcomesOf(failures: readonly Failure[], budget: IdentifierBudget): Promise<LookUpOutcome[]> {
    if (failures.length === 0) return [];
    const tries = await findTries(database, failures.map(({ id }) => id));
    return failures.map((failure) => failedOutcome(failure, tries.get(failure.id) ?? { tries: 0, seconds: 0 }, budget));
  }
}

/** What has happened in a page so far. */
interface PageRun {
  /** Answers about points, refusals included. */
  answered: number;
  failures: Failure[];
  /** Of the operator as a whole. */
  trouble: VendorTrouble | undefined;
  waitSeconds: number | undefined;
  endsAt: number;
  cancelled: AbortSignal;
}

function isOver({ trouble, waitSeconds, endsAt, cancelled }: PageRun): boolean {
  return trouble !== undefined || waitSeconds !== undefined || cancelled.aborted || performance.now() > endsAt;
}

