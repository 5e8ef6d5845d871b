import pMap from 'p-map';
import type { EntityManager } from '@mikro-orm/postgresql';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../platform/database/database.ts';
import type { Log } from '../platform/log.ts';
import { spacedSlots, type NextSlot } from '../platform/vendor-http/spaced-slots.ts';
import { type VendorOutcome, vendorsToQuery } from './queried-instructions.rules.ts';
import {
  type InstructionInForce,
  behind,
  countQueriesInADay,
  findNextInstructions,
} from './instructions-in-force.store.ts';
import { storeAnswers, cursorOf } from './store-answers.store.ts';
import type { ReconciliationRecord } from './reconciliation.store.ts';
import type { VendorProgress } from './tally.rules.ts';
import type { PaymentVendorPort } from '../vendors/payment-vendor/payment-vendor.port.ts';
import type { NotQueriedReason } from '../vocabulary/reconciliation.ts';
import type { PaymentInstructionType, PaymentVendor } from '../vocabulary/value-sets.ts';
import {
  VendorBusy,
  VendorError,
  VendorMisconfigured,
  VendorRejected,
  VendorUnavailable,
} from '../vocabulary/vendor-errors.ts';
import { paymentBudget, type reconciliationBudget } from '../../temporal.config.ts';

/** Dependencies of the queries to payment vendors. */
export interface VendorQueryDeps {
  database: Database;
  vendors: Readonly<Partial<Record<PaymentVendor, Pick<PaymentVendorPort, 'check'>>>>;
  log: Log;
  /** Most queries to one vendor in a day, over all reconciliations of an import supplier. */
  callsPerDay: number;
  budget: QueryBudget;
  /** Runs a transaction that writes the row of the reconciliation. Transactions run one after another. */
  keep<T>(work: (em: EntityManager) => Promise<T>): Promise<T>;
}

/** Queries payment vendors about the instructions in force of compared accounts, each vendor at its own speed. */
export interface VendorQueries {
  /**
   * Starts a page of queries to each vendor that has pending queries and no page in progress.
   * @param record the reconciliation as last stored
   * @returns false if no vendor has pending queries
   * @throws errors of a page, except failures of the vendor
   */
  continue(record: ReconciliationRecord): boolean;
  isBusy(): boolean;
  /** Waits until one of the pages in progress ends. */
  nextPage(): Promise<void>;
  /** Waits until all pages in progress end. */
  settle(): Promise<void>;
}

/** Pause while another worker stores a page of the same reconciliation. */
const PAGE_LOCKED_MS = 200;

/**
 * Creates an asker, which runs during a comparison or after it. Holds no lock while it waits for a vendor; stores responses page by page.
 * @param isOver returns true once no further query may start
 * @param signal aborts calls in progress
 */
export function openVendorQueries(deps: VendorQueryDeps, isOver: () => boolean, signal: AbortSignal): VendorQueries {
  const pages = new Map<PaymentVendor, Promise<void>>();
  const slots = new Map<PaymentVendor, NextSlot>();
  let fault: { error: unknown } | undefined;
  const queryPage = async (record: ReconciliationRecord, vendor: PaymentVendor) => {
    const nextSlot = slots.get(vendor) ?? spacedSlots(deps.budget.spacingMs);
    slots.set(vendor, nextSlot);
    try {
      await queryNextPage({ ...deps, vendor, nextSlot }, record, isOver, signal);
    } catch (error) {
      // If a worker stops or a run is cancelled, the queries of the page are repeated later.
      if (!signal.aborted) fault ??= { error };
    } finally {
      pages.delete(vendor);
    }
  };
  return {
    continue(record) {
      if (fault !== undefined) throw fault.error;
      const vendors = vendorsToQuery(record.tally);
      for (const vendor of isOver() ? [] : vendors) {
        if (!pages.has(vendor)) pages.set(vendor, queryPage(record, vendor));
      }
      return vendors.length > 0;
    },
    isBusy: () => pages.size > 0,
    nextPage: async () => {
      if (pages.size > 0) await Promise.race(pages.values());
    },
    settle: async () => {
      await Promise.all(pages.values());
    },
  };
}

type QueryDeps = VendorQueryDeps & Pick<VendorDeps, 'vendor' | 'nextSlot'>;

/** Queries a vendor about the next instructions, stores the responses, and pauses after a failure. */
async function queryNextPage(
  deps: QueryDeps,
  record: ReconciliationRecord,
  isOver: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  const { vendor, budget, vendors, database, keep } = deps;
  const { id, tally } = record;
  const [before, failures] = [cursorOf(tally, vendor), tally.progress[vendor]?.failures ?? 0];
  const isCompared = tally.compared_at !== undefined;
  const left = await remainingQueries(deps, record);
  const port = vendors[vendor];
  if (typeof left === 'string' || port === undefined) {
    const reason = typeof left === 'string' ? left : 'no_address';
    const page = { vendor, before, asked: [], progress: { after: before, failures, left: 0 } };
    await pauseIfLocked(
      await keep((em) => storeAnswers(em, id, { ...page, ends: isCompared ? reason : undefined })),
      signal,
    );
    return;
  }
  const next = await findNextInstructions(database, record, vendor, before, Math.min(budget.page, left));
  const answers = await queryVendor({ ...deps, port }, next.instructions, isOver, signal);
  const asked = answers.outcomes.map((outcome, index) => ({ ...next.instructions[index]!, outcome }));
  const isWhole = asked.length === next.instructions.length;
  const last = asked.at(-1);
  const progress: VendorProgress = {
    after: isWhole ? next.after : last === undefined ? before : behind(last),
    failures: failuresInARow(failures, answers, budget),
    left: left - asked.length,
  };
  const ends = isCompared && isWhole && next.isLast ? 'all' : undefined;
  if (asked.length === 0 && !isWhole && answers.failure === undefined) return;
  const kept = await keep((em) => storeAnswers(em, id, { vendor, before, asked, progress, ends }));
  await pauseIfLocked(kept, signal);
  if (answers.failure !== undefined) await sleep(answers.failure.pauseMs, undefined, { signal });
}

async function pauseIfLocked(kept: Awaited<ReturnType<typeof storeAnswers>>, signal: AbortSignal): Promise<void> {
  if (kept === 'locked') await sleep(PAGE_LOCKED_MS, undefined, { signal });
}

/** The number of queries that a vendor may still receive, or the reason why it may receive none. */
async function remainingQueries(
  { database, vendors, vendor, callsPerDay, budget }: QueryDeps,
  { importSupplier, tally }: ReconciliationRecord,
): Promise<number | NotQueriedReason> {
  if (vendors[vendor] === undefined) return 'no_address';
  if ((tally.progress[vendor]?.failures ?? 0) >= budget.failuresInARow) return 'unreachable';
  const asked = await countQueriesInADay(database, importSupplier, vendor);
  return asked >= callsPerDay ? 'limit_reached' : callsPerDay - asked;
}

/** A page without any response counts as one failure, however many of its queries failed. */
function failuresInARow(before: number, { outcomes, failure }: Answers, budget: QueryBudget): number {
  if (failure?.isMisconfigured) return budget.failuresInARow;
  if (failure === undefined) return outcomes.length > 0 ? 0 : before;
  return outcomes.length > 0 ? 1 : before + 1;
}

/** Limits of the queries to a vendor, which tests shorten. */
type QueryBudget = Record<keyof typeof reconciliationBudget.queries, number>;

interface VendorDeps {
  vendor: PaymentVendor;
  port: Pick<PaymentVendorPort, 'check'>;
  budget: QueryBudget;
  log: Log;
  nextSlot: NextSlot;
}

/** The responses of a vendor. */
interface Answers {
  /** One for each of the first instructions, in their order, up to the first failed query. */
  outcomes: readonly VendorOutcome[];
  /** Set if a query failed. */
  failure: { pauseMs: number; isMisconfigured: boolean } | undefined;
}

/**
 * Queries a vendor about instructions, a few concurrently. After a failure no further query starts.
 * @param isOver returns true once no further query may start
 * @param signal aborts calls in progress
 * @throws errors, except failures of the vendor
 */
async function queryVendor(
  deps: VendorDeps,
  instructions: readonly InstructionInForce[],
  isOver: () => boolean,
  signal: AbortSignal,
): Promise<Answers> {
  let failure: Answers['failure'];
  const isStopped = () => failure !== undefined || isOver();
  const found = await pMap(
    instructions,
    async (instruction) => {
      if (isStopped()) return undefined;
      await deps.nextSlot({ signal });
      if (isStopped()) return undefined;
      const outcome = await queryInstruction(deps, instruction, signal);
      if ('kind' in outcome) return outcome;
      failure = outcome;
      return undefined;
    },
    { concurrency: deps.budget.atOnce },
  );
  const end = found.indexOf(undefined);
  return { outcomes: (end === -1 ? found : found.slice(0, end)) as VendorOutcome[], failure };
}

async function queryInstruction(
  { vendor, port, budget, log }: VendorDeps,
  { reference, type, key }: InstructionInForce,
  signal: AbortSignal,
): Promise<VendorOutcome | NonNullable<Answers['failure']>> {
  const inTime = AbortSignal.timeout(paymentBudget.attemptMs);
  try {
    const state = await port.check(
      { reference, type: type as PaymentInstructionType, externalAccountNumber: key },
      AbortSignal.any([inTime, signal]),
    );
    return state.kind === 'usable' ? { kind: 'usable' } : { kind: 'different', answer: state.status };
  } catch (error) {
    if (error instanceof VendorRejected) return { kind: 'different', answer: error.reason };
    signal.throwIfAborted();
    const failed =
      inTime.aborted && !(error instanceof VendorError) ? new VendorUnavailable('It took too long.') : error;
    if (!(failed instanceof VendorError)) throw failed;
    const isMisconfigured = failed instanceof VendorMisconfigured;
    // Operators must correct the configuration.
    if (isMisconfigured) log.error({ vendor }, failed.message);
    const wanted = failed instanceof VendorBusy ? failed.retryAfterSeconds * 1_000 : 0;
    return { pauseMs: Math.min(Math.max(budget.pauseMs, wanted), budget.longestPauseMs), isMisconfigured };
  }
}
