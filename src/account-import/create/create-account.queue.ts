import { v7 as uuidv7 } from 'uuid';
import { workflowIds } from '../../../temporal.config.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { alreadyImported, type CreationEntry, type CreationOutcome } from './create-account.rules.ts';
import type { CreationSlots, SlotOutcome } from '../limit/creation-slot.store.ts';
import { createSupplierLanes } from './supplier-lanes.queue.ts';

/** How creation runs are started and awaited; the real one talks to Temporal (create-account.client.ts). */
export interface CreationRuns {
  /**
   * Starts one run for a batch, under the given workflow id.
   * @returns the promise of its outcomes; it outlives every caller
   * @throws CreationNotStarted when nothing was started; anything else means that nobody knows
   */
  start(entries: readonly CreationEntry[], workflowId: string): Promise<{ outcomes: Promise<CreationOutcome[]> }>;
  /** Awaits the run of an account that was handed over; rejects when it has not ended after `answerTimeoutMs`. */
  awaitAlone(entry: CreationEntry, answerTimeoutMs: number): Promise<CreationOutcome>;
}

/** Nothing was started, so that the request may be sent again at once. */
export class CreationNotStarted extends Error {
  override name = 'CreationNotStarted';
}

export interface QueueLimits {
  runsInFlight: number;
  batchSize: number;
  runsOpenMax: number;
  requestsWaitingMax: number;
  slotTimeoutMs: number;
  answerTimeoutMs: number;
}

interface CreationRequest {
  importSupplier: string;
  externalAccountNumber: string;
  operationsTeam: string;
}

export type CreationAnswer = { kind: 'created'; serviceAccountNumber: string } | Refused;

/** What the queue is doing, for logs and metrics. */
interface QueueState {
  waitingRequests: number;
  openRuns: number;
  placesTaken: number;
}

export interface CreationQueue {
  /** Resolves to the answer of this request; never rejects for what the contract foresees. */
  submit(request: CreationRequest, hungUp: AbortSignal): Promise<CreationAnswer>;
  state(): QueueState;
  /** Resolves when no request waits any more. */
  drained(): Promise<void>;
}

interface Waiter {
  answer(answer: CreationAnswer): void;
}

/** One account for which at least one request waits, or whose first answer is still owed. */
interface Pending {
  key: string;
  entry: CreationEntry;
  started: boolean;
  waiters: Set<Waiter>;
  /** Created, but nobody was there to be told: the next request gets the 201. */
  owed?: { serviceAccountNumber: string };
}

/** How long a 201 that nobody took is kept for a resend. */
const UNDELIVERED_ANSWER_KEPT_MS = 60_000;
const RETRY_AFTER_SECONDS = 5;
/** A creation takes tens of milliseconds when all is well, so a slot is soon free. */
const SLOT_RETRY_AFTER_SECONDS = 2;
/** Answer when all slots of the concurrency limit are taken. */
export const throttledAnswer = () => refuse('throttled', { retryAfterSeconds: SLOT_RETRY_AFTER_SECONDS });
const pendingAnswer = () => refuse('creation_pending', { retryAfterSeconds: RETRY_AFTER_SECONDS });
const unavailableAnswer = () => refuse('service_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS });

/**
 * Natural batching: a request that finds a free place starts at once as a batch of one; while all places are taken,
 * requests wait and go together. A batch holds the accounts of one import supplier, and suppliers take turns, so that the
 * accounts of one never hold up another's. One entry per account: a second request for the same account waits on the
 * first one's entry, which outlives the first caller.
 * @param slots the concurrency limit; left out, there is none
 */
// oxlint-disable-next-line max-lines-per-function -- one closure is the state of the queue; each function in it is short
export function createCreationQueue(
  runs: CreationRuns,
  limits: QueueLimits,
  slots?: Pick<CreationSlots, 'take'>,
): CreationQueue {
  const pendings = new Map<string, Pending>();
  const lanes = createSupplierLanes<Pending>(limits);
  const idle = new Set<() => void>();

  return {
    submit,
    state: () => ({
      waitingRequests: lanes.all.waitingRequests,
      openRuns: lanes.all.openRuns,
      placesTaken: lanes.all.placesTaken,
    }),
    drained: () =>
      lanes.all.requests === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            idle.add(resolve);
          }),
  };

  function submit(request: CreationRequest, hungUp: AbortSignal): Promise<CreationAnswer> {
    const key = JSON.stringify([request.importSupplier, request.externalAccountNumber]);
    const known = pendings.get(key);
    if (known?.owed) {
      pendings.delete(key);
      return Promise.resolve({ kind: 'created', serviceAccountNumber: known.owed.serviceAccountNumber });
    }
    const refusal = known ? pendingAnswer : unavailableAnswer;
    if (!lanes.hasRoom(request.importSupplier, { waits: !known?.started, adds: !known })) {
      return Promise.resolve(refusal());
    }
    const pending = known ?? addPending(key, request);
    const answer = wait(pending, hungUp);
    pump();
    if (pending.entry.operationsTeam === request.operationsTeam) return answer;
    // The entry is judged by the team of its first request. When that one was refused for it, this one has its own turn.
    return answer.then((joined) =>
      isRefused(joined) && joined.code === 'validation_failed' ? submit(request, hungUp) : joined,
    );
  }

  function addPending(key: string, request: CreationRequest): Pending {
    const pending: Pending = { key, entry: { creationId: uuidv7(), ...request }, started: false, waiters: new Set() };
    pendings.set(key, pending);
    const slot = slots?.take(pending.entry);
    if (slot === undefined) lanes.enqueue(request.importSupplier, pending);
    else void admit(pending, slot);
    return pending;
  }

  /** While there is a concurrency limit, an entry has to get a slot before it may go; requests join it meanwhile. */
  async function admit(pending: Pending, slot: Promise<SlotOutcome>): Promise<void> {
    try {
      const outcome = await slot;
      if (outcome === 'none-free') return settle(pending, throttledAnswer());
      if (outcome === 'taken') pending.entry = { ...pending.entry, holdsSlot: true };
      lanes.enqueue(pending.entry.importSupplier, pending);
      pump();
    } catch {
      settle(pending, unavailableAnswer());
    }
  }

  function wait(pending: Pending, hungUp: AbortSignal): Promise<CreationAnswer> {
    return new Promise((resolve) => {
      const leave = () => {
        if (!pending.waiters.delete(waiter)) return false;
        clearTimeout(patience);
        lanes.count(pending.entry.importSupplier, 'requests', -1);
        if (!pending.started) lanes.count(pending.entry.importSupplier, 'waitingRequests', -1);
        if (lanes.all.requests === 0) for (const tell of idle) tell();
        return true;
      };
      const waiter: Waiter = {
        answer: (answer) => {
          if (leave()) resolve(answer);
        },
      };
      const patience = setTimeout(() => waiter.answer(pendingAnswer()), limits.answerTimeoutMs);
      pending.waiters.add(waiter);
      lanes.count(pending.entry.importSupplier, 'requests', 1);
      if (!pending.started) lanes.count(pending.entry.importSupplier, 'waitingRequests', 1);
      if (hungUp.aborted) waiter.answer(pendingAnswer());
      else hungUp.addEventListener('abort', () => waiter.answer(pendingAnswer()), { once: true });
    });
  }

  function pump(): void {
    for (let turn = lanes.next(); turn !== undefined; turn = lanes.next()) {
      for (const pending of turn.batch) {
        pending.started = true;
        lanes.count(turn.importSupplier, 'waitingRequests', -pending.waiters.size);
      }
      void run(turn.importSupplier, turn.batch);
    }
  }

  async function run(importSupplier: string, batch: Pending[]): Promise<void> {
    lanes.count(importSupplier, 'placesTaken', 1);
    lanes.count(importSupplier, 'openRuns', 1);
    let slotTimeout = true;
    const giveBackPlace = () => {
      if (!slotTimeout) return;
      slotTimeout = false;
      lanes.count(importSupplier, 'placesTaken', -1);
      pump();
    };
    // A batch that waits for the database must not stop the rest.
    const heldLongEnough = setTimeout(giveBackPlace, limits.slotTimeoutMs);
    try {
      const { outcomes } = await runs.start(
        batch.map((pending) => pending.entry),
        workflowIds.createAccounts(uuidv7()),
      );
      completeBatch(batch, await outcomes);
    } catch (error) {
      const answer = error instanceof CreationNotStarted ? unavailableAnswer() : pendingAnswer();
      for (const pending of batch) settle(pending, answer);
    } finally {
      clearTimeout(heldLongEnough);
      lanes.count(importSupplier, 'openRuns', -1);
      giveBackPlace();
      pump();
    }
  }

  function completeBatch(batch: Pending[], outcomes: CreationOutcome[]): void {
    for (const [index, pending] of batch.entries()) {
      const outcome = outcomes[index] ?? pendingAnswer();
      if (outcome.kind === 'quarantined') void followAlone(pending);
      else settle(pending, outcome);
    }
  }

  /** Followed for as long as a caller may wait, not for the days until its data is mended: each costs a long poll. */
  async function followAlone(pending: Pending): Promise<void> {
    try {
      const outcome = await runs.awaitAlone(pending.entry, limits.answerTimeoutMs);
      settle(pending, outcome.kind === 'quarantined' ? pendingAnswer() : outcome);
    } catch {
      settle(pending, pendingAnswer());
    }
  }

  function settle(pending: Pending, outcome: CreationAnswer): void {
    pendings.delete(pending.key);
    if (isRefused(outcome)) {
      for (const waiter of [...pending.waiters]) waiter.answer(outcome);
      return;
    }
    const [first, ...others] = pending.waiters;
    if (first) first.answer(outcome);
    else keepUndelivered(pending, outcome.serviceAccountNumber);
    for (const waiter of others) {
      waiter.answer(alreadyImported(pending.entry.externalAccountNumber, outcome.serviceAccountNumber));
    }
  }

  function keepUndelivered(pending: Pending, serviceAccountNumber: string): void {
    const owed: Pending = { ...pending, owed: { serviceAccountNumber } };
    pendings.set(pending.key, owed);
    setTimeout(() => {
      if (pendings.get(pending.key) === owed) pendings.delete(pending.key);
    }, UNDELIVERED_ANSWER_KEPT_MS).unref();
  }
}
