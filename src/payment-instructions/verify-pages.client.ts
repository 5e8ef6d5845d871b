import { bulkhead, type IPolicy } from 'cockatiel';
import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import { paymentPageBudget, paymentVendorLimits } from '../../temporal.config.ts';
import type { WritableDatabase } from '../platform/database/database.ts';
import { isTransientError } from '../platform/database/faults.ts';
import type { AuthenticatedRequest, Reply } from '../platform/http/route.ts';
import { loggedFault, type Log } from '../platform/log.ts';
import type { Settings } from '../platform/settings.ts';
import type { WorkRuns } from '../platform/temporal/start-run.ts';
import { spacedSlots, type NextSlot } from '../platform/vendor-http/spaced-slots.ts';
import { holdWork, releaseWork } from '../platform/work-items/work-item.store.ts';
import type { SupplierDirectory } from '../suppliers/index.ts';
import { isRefused, type Refused } from '../vocabulary/refusals.ts';
import type { PaymentVendor } from '../vocabulary/value-sets.ts';
import { VendorBusy, VendorMisconfigured, VendorRejected, VendorUnavailable } from '../vocabulary/vendor-errors.ts';
import { callVendor, type CalledVendors } from './call-vendor.client.ts';
import { completeVerifications, type CompletedVerification } from './complete-verification.store.ts';
import { findOtherAccounts } from './instruction-use.store.ts';
import { readInstruction, refusalOf, replyOf, type ReadInstruction } from './payment-instruction-request.validation.ts';
import type { VerificationAnswer, VerificationOutcome } from './payment-instruction.rules.ts';
import type { PausedVendors } from './payment-vendor-rest.store.ts';
import {
  requestVerifications,
  type RequestedVerification,
  type VerificationWork,
} from './request-verification.store.ts';
import { limitsOf } from './verification-limits.store.ts';

/** Runs that a page starts concurrently. */
const STARTS_AT_ONCE = 8;

export interface VerificationPageDeps {
  settings: Settings;
  database: WritableDatabase;
  suppliers: SupplierDirectory;
  vendors: CalledVendors;
  paused: PausedVendors;
  runs: WorkRuns;
  log: Log;
}

/** A line of a job, as the equivalent single request. */
interface LineToVerify {
  request: AuthenticatedRequest;
  /** The job of the line. */
  importJobId: string;
  /** Derived from the line, so that a retried line finds its own verification. */
  verificationId: string;
}

/** Verifies payment instructions in pages. */
export interface VerificationPages {
  /**
   * Verifies instructions of one import supplier. The lines are for different instructions.
   * @param before no call starts after this time (of `performance.now()`)
   * @returns the reply of the equivalent single request for each; `payment_vendor_unavailable` if it has no outcome yet
   */
  verify(lines: readonly LineToVerify[], before: number): Promise<(Reply | Refused)[]>;
}

/** A line with a valid instruction; `index` is its position in the page. */
type ReadLine = LineToVerify & ReadInstruction & { index: number };
/** A line whose verification is stored. */
type RequestedLine = ReadLine & RequestedVerification;
/** A line whose vendor the page calls. */
type CalledLine = RequestedLine & { work: VerificationWork };

/**
 * The result of a call. `alone`: the instruction needs a run of its own; `later`: no slot was left; `paused`: the vendor is paused or busy for
 * some seconds.
 */
type CallResult = VerificationAnswer | { kind: 'alone' } | { kind: 'later' } | { kind: 'paused'; seconds: number };

/** An outcome, and the time until the line is retried if it has none. */
interface PageOutcome {
  outcome: VerificationOutcome;
  retryAfterSeconds?: number;
}

const waits = (retryAfterSeconds?: number): PageOutcome => ({
  outcome: { kind: 'waits' },
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
});

type PageDeps = VerificationPageDeps & { queueOf(vendor: PaymentVendor): VendorQueue };

/** Calls of all pages to a vendor. */
interface VendorQueue {
  nextSlot: NextSlot;
  concurrency: IPolicy;
}

/** Opens the verification of pages. All pages of this process share the limits of calls. */
export function openVerificationPages(deps: VerificationPageDeps): VerificationPages {
  const queues = new Map<PaymentVendor, VendorQueue>();
  const queueOf = (vendor: PaymentVendor) => {
    const queue = queues.get(vendor) ?? openQueue(vendor);
    queues.set(vendor, queue);
    return queue;
  };
  return { verify: (lines, before) => verifyPage({ ...deps, queueOf }, lines, before) };
}

function openQueue(vendor: PaymentVendor): VendorQueue {
  const { perSecond, callsAtOnce } = paymentVendorLimits[vendor].ofJobs;
  return { nextSlot: spacedSlots(1_000 / perSecond), concurrency: bulkhead(callsAtOnce, Number.POSITIVE_INFINITY) };
}

async function verifyPage(
  deps: PageDeps,
  lines: readonly LineToVerify[],
  before: number,
): Promise<(Reply | Refused)[]> {
  const replies = new Map<number, Reply | Refused>();
  const read: ReadLine[] = [];
  for (const [index, line] of lines.entries()) {
    const found = await readInstruction(deps.suppliers, line.request);
    if (isRefused(found)) replies.set(index, found);
    else read.push({ ...line, ...found, index });
  }
  const { now, later } = await chooseLines(deps, read, before);
  for (const [line, seconds] of later) replies.set(line.index, replyTo(line, '', waits(seconds)));
  const requested = await requestLines(deps, now, replies);
  const called = requested.filter((line): line is CalledLine => line.work?.isHeld === true);
  const outcomes = await storeResults(deps, called, await callAll(deps, called, before));
  const ended = requested.map((line) => ({ line, ...(outcomes.get(line.index) ?? { outcome: line.outcome }) }));
  const verified = ended.flatMap(({ line, outcome }) => (outcome.kind === 'verified' ? [line] : []));
  const others = await findOtherAccounts(
    deps.database,
    verified.map(({ accountId, data: { vendor, reference } }) => ({ accountId, vendor, reference })),
  );
  const otherOf = new Map(verified.map((line, n) => [line, others[n]]));
  for (const { line, ...outcome } of ended) {
    replies.set(line.index, replyTo(line, line.serviceAccountNumber, outcome, otherOf.get(line)));
  }
  return lines.map((_, index) => replies.get(index)!);
}

const replyTo = (
  { data, payloadWarnings }: ReadLine,
  serviceAccountNumber: string,
  { outcome, retryAfterSeconds }: PageOutcome,
  otherAccount?: string,
) => replyOf(outcome, data, serviceAccountNumber, { payloadWarnings, otherAccount, retryAfterSeconds });

/** Chooses as many lines as can be called until the end of the page. The others are not stored, and wait for some seconds. */
async function chooseLines(deps: PageDeps, lines: readonly ReadLine[], before: number) {
  const now: ReadLine[] = [];
  const later = new Map<ReadLine, number>();
  const seconds = Math.max(0, before - performance.now()) / 1_000;
  const left = new Map<PaymentVendor, number>();
  for (const line of lines) {
    const { vendor } = line.data;
    const calls = left.get(vendor) ?? Math.ceil(paymentVendorLimits[vendor].ofJobs.perSecond * seconds);
    left.set(vendor, calls - 1);
    if (await deps.paused.isPaused(vendor)) later.set(line, paymentPageBudget.pausedSeconds);
    else if (calls <= 0) later.set(line, paymentPageBudget.laterSeconds);
    else now.push(line);
  }
  return { now, later };
}

/** Stores the verifications. Their work items are held, so that no run is started while the page calls the vendors. */
async function requestLines(
  { database, settings }: PageDeps,
  lines: readonly ReadLine[],
  replies: Map<number, Reply | Refused>,
): Promise<RequestedLine[]> {
  const [first] = lines;
  if (first === undefined) return [];
  const results = await requestVerifications(
    database,
    first.data.import_supplier,
    lines.map(({ data, verificationId }) => ({ request: data, verificationId })),
    {
      keyId: first.request.caller.keyId,
      budgetMs: settings.PAYMENT_BUDGET_MS,
      limits: limitsOf(settings, true),
      importJobId: first.importJobId,
      holdSeconds: paymentPageBudget.holdSeconds,
    },
  );
  const requested: RequestedLine[] = [];
  for (const [n, line] of lines.entries()) {
    const result = results[n]!;
    if (result.kind === 'requested') requested.push({ ...line, ...result });
    else replies.set(line.index, await refusalOf(result, database, line.data));
  }
  return requested;
}

/** Calls the vendors, each within its limits. */
async function callAll(
  deps: PageDeps,
  lines: readonly CalledLine[],
  before: number,
): Promise<Map<CalledLine, CallResult>> {
  /** Seconds until vendors are called again that are paused, busy or reject our credentials. */
  const stopped = new Map<PaymentVendor, number>();
  const results = await Promise.all(lines.map((line) => callUntilAnswered(deps, line, { before, stopped })));
  return new Map(lines.map((line, n) => [line, results[n]!]));
}

interface PageCalls {
  before: number;
  stopped: Map<PaymentVendor, number>;
}

async function callUntilAnswered(
  deps: PageDeps,
  line: CalledLine,
  { before, stopped }: PageCalls,
): Promise<CallResult> {
  const { vendor } = line.data;
  const queue = deps.queueOf(vendor);
  for (let tries = 1; ; tries += 1) {
    const hasSlot = await queue.nextSlot({ before });
    const result = await queue.concurrency.execute(async () => {
      const seconds = stopped.get(vendor);
      if (seconds !== undefined) return { kind: 'paused', seconds } as const;
      return hasSlot && performance.now() <= before ? callOnce(deps, line, stopped) : ({ kind: 'later' } as const);
    });
    const isCalled = result !== 'failed' && result.kind !== 'later' && result.kind !== 'paused';
    if (isCalled || (tries === 1 && result !== 'failed')) return result;
    if (tries >= paymentPageBudget.triesMax) return { kind: 'alone' };
    await sleep(paymentPageBudget.retryMs);
  }
}

/** Makes one attempt. @returns `failed` if another one may succeed */
async function callOnce(
  { vendors, log }: PageDeps,
  { data, work }: CalledLine,
  stopped: Map<PaymentVendor, number>,
): Promise<CallResult | 'failed'> {
  const { vendor, reference, type, external_account_number: externalAccountNumber } = data;
  try {
    const state = await callVendor(vendors, { vendor, reference, type, externalAccountNumber });
    // The payer may approve it in days, so it is queried by a run of its own.
    return state.kind === 'usable' ? { kind: 'usable' } : { kind: 'alone' };
  } catch (error) {
    if (error instanceof VendorRejected) return { kind: 'refused', reason: error.reason };
    if (error instanceof VendorBusy) {
      stopped.set(vendor, error.retryAfterSeconds);
      return { kind: 'paused', seconds: error.retryAfterSeconds };
    }
    if (error instanceof VendorUnavailable && error.wasCalled) return 'failed';
    if (error instanceof VendorUnavailable || error instanceof VendorMisconfigured) {
      stopped.set(vendor, paymentPageBudget.pausedSeconds);
    }
    if (error instanceof VendorUnavailable) return { kind: 'paused', seconds: paymentPageBudget.pausedSeconds };
    const { verificationId } = work.input;
    log.error({ vendor, verificationId, fault: loggedFault(error) }, 'payment instruction not verified in its page');
    return { kind: 'alone' };
  }
}

/** Stores the results of calls, and starts runs for the instructions that need one. */
async function storeResults(
  deps: PageDeps,
  called: readonly CalledLine[],
  results: ReadonlyMap<CalledLine, CallResult>,
): Promise<Map<number, PageOutcome>> {
  const outcomes = new Map<number, PageOutcome>();
  const answered: (CompletedVerification & { line: CalledLine })[] = [];
  const alone: CalledLine[] = [];
  const paused: CalledLine[] = [];
  for (const line of called) {
    const result = results.get(line)!;
    if (result.kind === 'alone') alone.push(line);
    else if (result.kind === 'later') outcomes.set(line.index, waits(paymentPageBudget.laterSeconds));
    else if (result.kind === 'paused') {
      outcomes.set(line.index, waits(result.seconds));
      paused.push(line);
    } else {
      const { workflowId, input } = line.work;
      answered.push({ line, verificationId: input.verificationId, workflowId, answer: result });
    }
  }
  const stored = await storeAnswers(deps, answered);
  for (const { line, verificationId } of answered) {
    const outcome = stored.get(verificationId);
    if (outcome === undefined) alone.push(line);
    else outcomes.set(line.index, { outcome });
  }
  await holdWork(deps.database, paused.map(itemOf), paymentPageBudget.holdPausedSeconds);
  await startRuns(deps, alone);
  for (const { index } of alone) outcomes.set(index, waits());
  return outcomes;
}

/** Stores answers in one transaction; if the database rejects it, each in its own. @returns the outcomes, without those that the database rejects */
async function storeAnswers(
  deps: PageDeps,
  answered: readonly CompletedVerification[],
): Promise<Map<string, VerificationOutcome>> {
  if (answered.length === 0) return new Map();
  try {
    return await deps.database.transaction((em) => completeVerifications(em, answered));
  } catch (error) {
    if (isTransientError(error)) throw error;
    deps.log.error({ fault: loggedFault(error) }, 'outcomes of verifications not stored');
    if (answered.length === 1) return new Map();
    const stored = new Map<string, VerificationOutcome>();
    for (const one of answered) for (const entry of await storeAnswers(deps, [one])) stored.set(...entry);
    return stored;
  }
}

const itemOf = ({ work: { workflowId, input } }: CalledLine) =>
  ({ workflowId, kind: 'verify-payment-instruction', input }) as const;

/** Starts a run for each instruction that the page could not verify. */
async function startRuns({ database, runs }: PageDeps, lines: readonly CalledLine[]): Promise<void> {
  const items = lines.map(itemOf);
  const released = await releaseWork(
    database,
    items.map(({ workflowId }) => workflowId),
  );
  const toStart = items.filter(({ workflowId }) => released.has(workflowId));
  await pMap(toStart, (item) => runs.start([item]), { concurrency: STARTS_AT_ONCE });
}
