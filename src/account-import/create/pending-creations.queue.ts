import { v7 as uuidv7 } from 'uuid';
import { activeSpan, type OpenSpan } from '../../platform/traces/traces.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { alreadyImported } from '../stage/already-imported.rules.ts';
import type { CreatedAccount, CreationEntry } from './create-account.rules.ts';
import type { SupplierQueues } from './supplier-queues.queue.ts';

export interface CreationRequest {
  importSupplier: string;
  externalAccountNumber: string;
  operationsTeam: string;
  /** Set for a request that may be repeated and must then find its own account. */
  creationId?: string;
}

export type CreationAnswer = CreatedAccount | Refused;

interface Waiter {
  answer(answer: CreationAnswer): void;
}

/** An account with waiting requests, or with an undelivered first answer. */
export interface Pending {
  key: string;
  entry: CreationEntry;
  started: boolean;
  waiters: Set<Waiter>;
  /** Span of the first request. */
  span?: OpenSpan | undefined;
  /** Set if the account was created after all callers disconnected. The next request gets the 201. */
  undelivered?: CreatedAccount;
}

/** Accounts with waiting requests. */
export interface PendingCreations {
  find(key: string): Pending | undefined;
  /** Removes and returns the undelivered answer. */
  removeUndelivered(key: string): CreationAnswer | undefined;
  add(key: string, request: CreationRequest): Pending;
  /** Adds a request for the account. Resolves to the outcome, or to `creation_pending` if the caller disconnects or the wait times out. */
  join(pending: Pending, hungUp: AbortSignal): Promise<CreationAnswer>;
  /** Answers all waiting requests: the first with the outcome, the others with `already imported`. */
  complete(pending: Pending, outcome: CreationAnswer): void;
  /** Resolves when no requests wait. */
  drained(): Promise<void>;
}

/** How long an undelivered 201 is kept for a retry. */
const UNDELIVERED_ANSWER_KEPT_MS = 60_000;
const RETRY_AFTER_SECONDS = 5;
/** A creation usually takes tens of milliseconds, so a slot becomes free soon. */
const SLOT_RETRY_AFTER_SECONDS = 2;
/** Answer if all slots of the concurrency limit are taken. */
export const throttledAnswer = () => refuse('throttled', { retryAfterSeconds: SLOT_RETRY_AFTER_SECONDS });
/** Answer while the outcome of the creation is unknown. */
export const pendingAnswer = () => refuse('creation_pending', { retryAfterSeconds: RETRY_AFTER_SECONDS });
/** Answer for an account that only operators can correct. */
export const quarantinedAnswer = () => refuse('account_quarantined');
/** Answer if nothing was started. */
export const unavailableAnswer = () => refuse('service_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS });

/** Keeps the entry of each account until all waiting requests are answered. */
export function createPendingCreations(queues: SupplierQueues<Pending>, answerTimeoutMs: number): PendingCreations {
  const pendings = new Map<string, Pending>();
  const idle = new Set<() => void>();

  function join(pending: Pending, hungUp: AbortSignal): Promise<CreationAnswer> {
    const { importSupplier } = pending.entry;
    return new Promise((resolve) => {
      const removeWaiter = () => {
        if (!pending.waiters.delete(waiter)) return false;
        clearTimeout(timer);
        queues.count(importSupplier, 'requests', -1);
        if (!pending.started) queues.count(importSupplier, 'waitingRequests', -1);
        if (queues.all.requests === 0) for (const resolveDrained of idle) resolveDrained();
        return true;
      };
      const waiter: Waiter = {
        answer: (answer) => {
          if (removeWaiter()) resolve(answer);
        },
      };
      const timer = setTimeout(() => waiter.answer(pendingAnswer()), answerTimeoutMs);
      pending.waiters.add(waiter);
      queues.count(importSupplier, 'requests', 1);
      if (!pending.started) queues.count(importSupplier, 'waitingRequests', 1);
      if (hungUp.aborted) waiter.answer(pendingAnswer());
      else hungUp.addEventListener('abort', () => waiter.answer(pendingAnswer()), { once: true });
    });
  }

  return {
    find: (key) => pendings.get(key),
    removeUndelivered: (key) => {
      const undelivered = pendings.get(key)?.undelivered;
      if (undelivered === undefined) return undefined;
      pendings.delete(key);
      return undelivered;
    },
    add: (key, request) => {
      const pending: Pending = {
        key,
        entry: { creationId: uuidv7(), ...request },
        started: false,
        waiters: new Set(),
        span: activeSpan(),
      };
      pendings.set(key, pending);
      return pending;
    },
    join,
    complete: (pending, outcome) => {
      pendings.delete(pending.key);
      if (!answerWaiters(pending, outcome) && !isRefused(outcome)) keepUndelivered(pendings, pending, outcome);
    },
    drained: () => (queues.all.requests === 0 ? Promise.resolve() : new Promise((resolve) => void idle.add(resolve))),
  };
}

/** Returns false if no caller was waiting. */
function answerWaiters({ entry, waiters }: Pending, outcome: CreationAnswer): boolean {
  const [first, ...others] = waiters;
  first?.answer(outcome);
  for (const waiter of others) {
    waiter.answer(
      isRefused(outcome) ? outcome : alreadyImported(entry.externalAccountNumber, outcome.serviceAccountNumber),
    );
  }
  return first !== undefined;
}

function keepUndelivered(pendings: Map<string, Pending>, pending: Pending, undelivered: CreatedAccount): void {
  const kept: Pending = { ...pending, undelivered };
  pendings.set(pending.key, kept);
  setTimeout(() => {
    if (pendings.get(pending.key) === kept) pendings.delete(pending.key);
  }, UNDELIVERED_ANSWER_KEPT_MS).unref();
}
