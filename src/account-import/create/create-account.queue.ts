import { v7 as uuidv7 } from 'uuid';
import { workflowIds } from '../../../temporal.config.ts';
import { activeSpan, type OpenSpan } from '../../platform/traces/traces.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { withinBatchSpan } from '../batch-span.queue.ts';
import type { CreationSlots, SlotOutcome } from '../limit/creation-slot.store.ts';
import { alreadyImported } from '../stage/already-imported.rules.ts';
import type { CreatedAccount, CreationEntry, CreationOutcome } from './create-account.rules.ts';
import { type BatchLimits, createSupplierQueues, type SupplierQueues } from './supplier-queues.queue.ts';

export interface QueueLimits extends BatchLimits {
  /** After this time a run releases its slot even if it has not ended. */
  slotTimeoutMs: number;
  answerTimeoutMs: number;
}

export interface CreationRequest {
  importSupplier: string;
  externalAccountNumber: string;
  operationsTeam: string;
  /** Set for a request that may be repeated and must then find its own account. */
  creationId?: string;
}

export type CreationAnswer = CreatedAccount | Refused;

export interface CreationQueue {
  /** Resolves to the answer of this request. Expected outcomes never reject. */
  submit(request: CreationRequest, hungUp: AbortSignal): Promise<CreationAnswer>;
  /** Load of the queue, for logs and metrics. */
  state(): { waitingRequests: number; openRuns: number; slotsInUse: number };
  /** Resolves when no requests wait. */
  drained(): Promise<void>;
}

/** Starts creation runs and awaits them. Implemented with Temporal in create-account.client.ts. */
export interface CreationRuns {
  /**
   * Starts one run for a batch under the given workflow id.
   * @returns a promise of the outcomes, which outlives every caller
   * @throws CreationNotStarted if nothing was started; after any other error it is unknown whether the run was started
   */
  start(entries: readonly CreationEntry[], workflowId: string): Promise<{ outcomes: Promise<CreationOutcome[]> }>;
  /** Whether other processes share their runs of the supplier with this one (shared-runs.queue.ts). */
  isShared?(importSupplier: string): boolean;
}

/** No run was started, so the request can be retried immediately. */
export class CreationNotStarted extends Error {
  override name = 'CreationNotStarted';
}

/** An account with waiting requests, or with an undelivered first answer. */
interface Pending {
  key: string;
  entry: CreationEntry;
  started: boolean;
  /** The functions that answer the waiting requests. */
  waiters: Set<(answer: CreationAnswer) => void>;
  /** Span of the first request. */
  span?: OpenSpan | undefined;
  /** Set if the account was created after all callers disconnected. The next request gets the 201. */
  undelivered?: CreatedAccount;
}

/** How long an undelivered 201 is kept for a retry. */
const UNDELIVERED_ANSWER_KEPT_MS = 60_000;
const RETRY_AFTER_SECONDS = 5;
/** A creation usually takes tens of milliseconds, so a slot becomes free soon. */
const SLOT_RETRY_AFTER_SECONDS = 2;
/** How long to wait for the next request of a caller just answered: less than a fifth of a run, and enough within one network. */
const NEXT_REQUEST_WAIT_MS = 5;
/** The same while other processes share the runs of the supplier: their requests take two notifications longer. */
const NEXT_SHARED_REQUEST_WAIT_MS = 25;
/** How long the next batch of a supplier waits for the run in progress: twice the usual duration of a full run. */
const RECENT_RUN_MS = 200;

/** Answer if all slots of the concurrency limit are taken. */
export const throttledAnswer = () => refuse('throttled', { retryAfterSeconds: SLOT_RETRY_AFTER_SECONDS });
/** Answer while the outcome of the creation is unknown. */
const pendingAnswer = () => refuse('creation_pending', { retryAfterSeconds: RETRY_AFTER_SECONDS });
/** Answer for an account that only operators can correct. */
export const quarantinedAnswer = () => refuse('account_quarantined');
/** Answer if nothing was started. */
const unavailableAnswer = () => refuse('service_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS });

/**
 * Batches requests. A request starts immediately if its supplier has no run in progress; later requests are collected for the next run. A
 * batch contains accounts of one supplier, and suppliers are scheduled fairly. There is one entry per account: another request for the same
 * account joins the entry, which survives its first caller.
 * @param slots the concurrency limit, if it is set
 */
export function createCreationQueue(
  runs: CreationRuns,
  limits: QueueLimits,
  slots?: Pick<CreationSlots, 'acquire'>,
): CreationQueue {
  return new BatchingQueue(runs, limits, slots);
}

class BatchingQueue implements CreationQueue {
  readonly #runs: CreationRuns;
  readonly #limits: QueueLimits;
  readonly #slots: Pick<CreationSlots, 'acquire'> | undefined;
  readonly #queues: SupplierQueues<Pending>;
  readonly #pendings = new Map<string, Pending>();
  readonly #drained = new Set<() => void>();

  constructor(runs: CreationRuns, limits: QueueLimits, slots: Pick<CreationSlots, 'acquire'> | undefined) {
    this.#runs = runs;
    this.#limits = limits;
    this.#slots = slots;
    this.#queues = createSupplierQueues<Pending>(limits);
  }

  async submit(request: CreationRequest, hungUp: AbortSignal): Promise<CreationAnswer> {
    const key = JSON.stringify([request.importSupplier, request.externalAccountNumber]);
    const known = this.#pendings.get(key);
    if (known?.undelivered !== undefined) {
      this.#pendings.delete(key);
      return known.undelivered;
    }
    if (!this.#queues.hasCapacity(request.importSupplier, { waits: !known?.started, adds: !known })) {
      return known ? pendingAnswer() : unavailableAnswer();
    }
    const pending = known ?? this.#add(key, request);
    const answer = this.#join(pending, hungUp);
    this.#startRuns();
    const joined = await answer;
    // The entry is validated with the team of its first request. If that team was rejected, this request gets its own entry.
    const isOfOtherTeam = pending.entry.operationsTeam !== request.operationsTeam;
    const isTeamRejected = isOfOtherTeam && isRefused(joined) && joined.code === 'validation_failed';
    return isTeamRejected ? this.submit(request, hungUp) : joined;
  }

  state() {
    const { waitingRequests, openRuns, slotsInUse } = this.#queues.all;
    return { waitingRequests, openRuns, slotsInUse };
  }

  async drained(): Promise<void> {
    if (this.#queues.all.requests > 0) await new Promise<void>((resolve) => void this.#drained.add(resolve));
  }

  #add(key: string, request: CreationRequest): Pending {
    const entry = { creationId: uuidv7(), ...request };
    const pending: Pending = { key, entry, started: false, waiters: new Set(), span: activeSpan() };
    this.#pendings.set(key, pending);
    const slot = this.#slots?.acquire(entry);
    if (slot === undefined) this.#queues.enqueue(request.importSupplier, pending);
    else void this.#admit(pending, slot);
    return pending;
  }

  /** With a concurrency limit an entry waits for a slot before it is queued. Requests can join it meanwhile. */
  async #admit(pending: Pending, slot: Promise<SlotOutcome>): Promise<void> {
    try {
      const outcome = await slot;
      if (outcome === 'none-free') return this.#complete(pending, throttledAnswer());
      if (outcome === 'taken') pending.entry = { ...pending.entry, holdsSlot: true };
      this.#queues.enqueue(pending.entry.importSupplier, pending);
      this.#startRuns();
    } catch {
      this.#complete(pending, unavailableAnswer());
    }
  }

  /** Adds a request for the account. Resolves to the outcome, or to `creation_pending` if the caller disconnects or the wait times out. */
  #join(pending: Pending, hungUp: AbortSignal): Promise<CreationAnswer> {
    const { importSupplier } = pending.entry;
    const count = (by: number) => {
      this.#queues.count(importSupplier, 'requests', by);
      if (!pending.started) this.#queues.count(importSupplier, 'waitingRequests', by);
    };
    return new Promise((resolve) => {
      const answer = (given: CreationAnswer) => {
        if (!pending.waiters.delete(answer)) return;
        clearTimeout(timer);
        count(-1);
        if (this.#queues.all.requests === 0) for (const resolveDrained of this.#drained) resolveDrained();
        resolve(given);
      };
      const timer = setTimeout(() => answer(pendingAnswer()), this.#limits.answerTimeoutMs);
      pending.waiters.add(answer);
      count(1);
      if (hungUp.aborted) answer(pendingAnswer());
      else hungUp.addEventListener('abort', () => answer(pendingAnswer()), { once: true });
    });
  }

  /** Answers all waiting requests: the first with the outcome, the others with `already imported`. */
  #complete(pending: Pending, outcome: CreationAnswer): void {
    const { key, entry, waiters } = pending;
    this.#pendings.delete(key);
    const [first, ...others] = waiters;
    first?.(outcome);
    if (isRefused(outcome)) {
      for (const answer of others) answer(outcome);
      return;
    }
    for (const answer of others) answer(alreadyImported(entry.externalAccountNumber, outcome.serviceAccountNumber));
    if (first !== undefined) return;
    const kept: Pending = { ...pending, undelivered: outcome };
    this.#pendings.set(key, kept);
    setTimeout(() => {
      if (this.#pendings.get(key) === kept) this.#pendings.delete(key);
    }, UNDELIVERED_ANSWER_KEPT_MS).unref();
  }

  /** Starts all runs that may start now. */
  #startRuns(): void {
    for (let next = this.#queues.next(); next !== undefined; next = this.#queues.next()) {
      for (const pending of next.batch) {
        pending.started = true;
        this.#queues.count(next.importSupplier, 'waitingRequests', -pending.waiters.size);
      }
      void this.#run(next.importSupplier, next.batch);
    }
  }

  async #run(importSupplier: string, batch: Pending[]): Promise<void> {
    const release = this.#acquireSlot(importSupplier);
    try {
      const outcomes = await withinBatchSpan('creation batch', batch, () => this.#outcomesOf(batch));
      for (const [index, pending] of batch.entries()) {
        const outcome = outcomes[index] ?? pendingAnswer();
        this.#complete(pending, outcome.kind === 'quarantined' ? quarantinedAnswer() : outcome);
      }
      this.#awaitNextRequests(importSupplier, batch.length);
    } catch (error) {
      const answer = error instanceof CreationNotStarted ? unavailableAnswer() : pendingAnswer();
      for (const pending of batch) this.#complete(pending, answer);
    } finally {
      release();
      this.#startRuns();
    }
  }

  async #outcomesOf(batch: readonly Pending[]): Promise<CreationOutcome[]> {
    const entries = batch.map(({ entry }) => entry);
    return (await this.#runs.start(entries, workflowIds.createAccounts(uuidv7()))).outcomes;
  }

  /** Counts a run, its slot and that it is recent, each until its time is over. @returns a function that ends all three */
  #acquireSlot(importSupplier: string): () => void {
    const counted = (counter: 'slotsInUse' | 'recentRuns' | 'openRuns', maxMs?: number) => {
      let isCounted = true;
      this.#queues.count(importSupplier, counter, 1);
      const end = () => {
        clearTimeout(timer);
        if (isCounted) this.#queues.count(importSupplier, counter, -1);
        isCounted = false;
      };
      const expire = () => {
        end();
        this.#startRuns();
      };
      const timer = maxMs === undefined ? undefined : setTimeout(expire, maxMs);
      return end;
    };
    // A batch that waits for the database must not block the others.
    const ends = [
      counted('slotsInUse', this.#limits.slotTimeoutMs),
      counted('recentRuns', RECENT_RUN_MS),
      counted('openRuns'),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  /** Delays the next run for the next requests of answered callers. The delay starts after the responses are written. */
  #awaitNextRequests(importSupplier: string, entries: number): void {
    const expectNone = this.#queues.expectRequests(importSupplier, entries);
    const waitMs = this.#runs.isShared?.(importSupplier) ? NEXT_SHARED_REQUEST_WAIT_MS : NEXT_REQUEST_WAIT_MS;
    const stopWaiting = () => {
      expectNone();
      this.#startRuns();
    };
    setImmediate(() => setTimeout(stopWaiting, waitMs));
  }
}

/** Metrics of creations. */
export interface CreationMeasures {
  accountImported(importSupplier: string, outcome: string, durationSeconds: number): void;
  batchStarted(accounts: number): void;
}

/** Counts the answers of a queue by outcome, and measures their time. */
export function queueWithMetrics(queue: CreationQueue, measures: CreationMeasures): CreationQueue {
  return {
    state: () => queue.state(),
    drained: () => queue.drained(),
    submit: async (request, hungUp) => {
      const submittedAt = performance.now();
      const answer = await queue.submit(request, hungUp);
      const outcome = isRefused(answer) ? answer.code : answer.kind;
      measures.accountImported(request.importSupplier, outcome, (performance.now() - submittedAt) / 1_000);
      return answer;
    },
  };
}

/** Reports the size of every run that is started. */
export function runsWithMetrics(runs: CreationRuns, measures: CreationMeasures): CreationRuns {
  return {
    start: (entries, workflowId) => {
      measures.batchStarted(entries.length);
      return runs.start(entries, workflowId);
    },
  };
}
