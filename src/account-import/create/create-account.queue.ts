import { isRefused } from '../../vocabulary/refusals.ts';
import type { CreationSlots, SlotOutcome } from '../limit/creation-slot.store.ts';
import { creationBatches, type CreationRuns } from './creation-batches.queue.ts';
import {
  createPendingCreations,
  type CreationAnswer,
  type CreationRequest,
  type Pending,
  pendingAnswer,
  throttledAnswer,
  unavailableAnswer,
} from './pending-creations.queue.ts';
import { createSupplierQueues } from './supplier-queues.queue.ts';

export interface QueueLimits {
  runsInFlight: number;
  batchSize: number;
  runsOpenMax: number;
  requestsWaitingMax: number;
  slotTimeoutMs: number;
  answerTimeoutMs: number;
}

/** Load of the queue, for logs and metrics. */
interface QueueState {
  waitingRequests: number;
  openRuns: number;
  slotsInUse: number;
}

export interface CreationQueue {
  /** Resolves to the answer of this request. Expected outcomes never reject. */
  submit(request: CreationRequest, hungUp: AbortSignal): Promise<CreationAnswer>;
  state(): QueueState;
  /** Resolves when no requests wait. */
  drained(): Promise<void>;
}

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
  const queues = createSupplierQueues<Pending>(limits);
  const pendings = createPendingCreations(queues, limits.answerTimeoutMs);
  const startRuns = creationBatches({ runs, queues, limits, complete: pendings.complete });

  function submit(request: CreationRequest, hungUp: AbortSignal): Promise<CreationAnswer> {
    const key = JSON.stringify([request.importSupplier, request.externalAccountNumber]);
    const undelivered = pendings.removeUndelivered(key);
    if (undelivered !== undefined) return Promise.resolve(undelivered);
    const known = pendings.find(key);
    const refusal = known ? pendingAnswer : unavailableAnswer;
    if (!queues.hasCapacity(request.importSupplier, { waits: !known?.started, adds: !known })) {
      return Promise.resolve(refusal());
    }
    const pending = known ?? add(key, request);
    const answer = pendings.join(pending, hungUp);
    startRuns();
    if (pending.entry.operationsTeam === request.operationsTeam) return answer;
    // The entry is validated with the team of its first request. If that team was rejected, this request gets its own entry.
    return answer.then((joined) =>
      isRefused(joined) && joined.code === 'validation_failed' ? submit(request, hungUp) : joined,
    );
  }

  function add(key: string, request: CreationRequest): Pending {
    const pending = pendings.add(key, request);
    const slot = slots?.acquire(pending.entry);
    if (slot === undefined) queues.enqueue(request.importSupplier, pending);
    else void admit(pending, slot);
    return pending;
  }

  /** With a concurrency limit an entry waits for a slot before it is queued. Requests can join it meanwhile. */
  async function admit(pending: Pending, slot: Promise<SlotOutcome>): Promise<void> {
    try {
      const outcome = await slot;
      if (outcome === 'none-free') return pendings.complete(pending, throttledAnswer());
      if (outcome === 'taken') pending.entry = { ...pending.entry, holdsSlot: true };
      queues.enqueue(pending.entry.importSupplier, pending);
      startRuns();
    } catch {
      pendings.complete(pending, unavailableAnswer());
    }
  }

  return {
    submit,
    state: () => ({
      waitingRequests: queues.all.waitingRequests,
      openRuns: queues.all.openRuns,
      slotsInUse: queues.all.slotsInUse,
    }),
    drained: pendings.drained,
  };
}

/** Metrics of creations. */
export interface CreationMeasures {
  accountImported(importSupplier: string, outcome: string): void;
  batchStarted(accounts: number): void;
}

/** Counts the answers of a queue by outcome. */
export function queueWithMetrics(queue: CreationQueue, measures: CreationMeasures): CreationQueue {
  return {
    ...queue,
    submit: async (request, hungUp) => {
      const answer = await queue.submit(request, hungUp);
      measures.accountImported(request.importSupplier, isRefused(answer) ? answer.code : answer.kind);
      return answer;
    },
  };
}

/** Reports the size of every run that is started. */
export function runsWithMetrics(runs: CreationRuns, measures: CreationMeasures): CreationRuns {
  return {
    ...runs,
    start: (entries, ...rest) => {
      measures.batchStarted(entries.length);
      return runs.start(entries, ...rest);
    },
  };
}
