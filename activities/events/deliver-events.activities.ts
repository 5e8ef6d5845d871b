import { Context } from '@temporalio/activity';
import { type StoredEvent, wavesOf, type DeliveryProgress } from '../../src/events/event.rules.ts';
import { deliveryPace, workflowIds } from '../../temporal.config.ts';
import {
  endEndpoint,
  findOpenEndpoint,
  noteDelivered,
  noteFailed,
  type OpenEndpoint,
} from '../../src/events/event-endpoint.store.ts';
import { readEventsAfter, sequenceEvents } from '../../src/events/event.store.ts';
import type { WebhookClient } from '../../src/events/webhook.client.ts';
import type { Database } from '../../src/platform/database/database.ts';
import type { Log } from '../../src/platform/log.ts';
import { completeWork, endStep } from '../../src/platform/work-items/work-item.store.ts';
import { onDatabase, receiverFailure } from '../failures.ts';
import { withHeartbeat } from '../heartbeat.ts';

export type DeliveryActivities = ReturnType<typeof deliveryActivities>;
export type DeliverySteps = ReturnType<typeof deliverySteps>;

export interface DeliveryDeps {
  database: Database;
  log: Log;
  webhooks: WebhookClient;
  /** Receives the class of each call, as for other outside parties. */
  onCall: (outcome: 'ok' | 'unavailable' | 'rejected') => void;
}

const CLASS_OF = { delivered: 'ok', failed: 'unavailable', gone: 'rejected' } as const;

/** The activity of the queue of deliveries. Concurrent runs deliver some events twice, with the same id. */
export function deliveryActivities(deps: DeliveryDeps) {
  return {
    /**
     * Delivers events for some seconds, after the last event that the endpoint accepted.
     * @throws a failure if the endpoint does not accept the first event; the retry policy of the activity is the backoff
     */
    async deliverSomeEvents(endpointId: string): Promise<DeliveryProgress> {
      const { cancellationSignal: cancelled } = Context.current();
      const found = await withHeartbeat(() =>
        onDatabase(deps.log, 'events not delivered', () => deliverForAWhile(deps, endpointId, cancelled)),
      );
      if (typeof found !== 'string') throw receiverFailure(found.why);
      return found;
    },
  };
}

/** Short steps of deliveries. */
export function deliverySteps({ database, log }: Pick<DeliveryDeps, 'database' | 'log'>) {
  return {
    /** Records that the budget of an endpoint is exhausted: it is listed as stuck, and retried after a day or by an operator. */
    noteReceiverUnreachable: (endpointId: string): Promise<void> =>
      onDatabase(log, 'exhausted budget of an endpoint not recorded', () =>
        database.transaction((em) =>
          endStep(em, {
            workflowId: workflowIds.deliverEvents(endpointId),
            scheduledAtMs: Context.current().info.currentAttemptScheduledTimestampMs,
            seconds: deliveryPace.unreachableSeconds,
            state: 'unreachable',
          }),
        ),
      ),
  };
}

async function deliverForAWhile(
  deps: DeliveryDeps,
  id: string,
  cancelled: AbortSignal,
): Promise<DeliveryProgress | { why: string }> {
  const { database } = deps;
  const endsAt = performance.now() + deliveryPace.workMs;
  let hasDelivered = false;
  while (performance.now() < endsAt && !cancelled.aborted) {
    const endpoint = await findOpenEndpoint(database, id);
    if (endpoint === undefined) return 'ended';
    await sequenceEvents(database, 1);
    const viewer = { organisation: endpoint.organisation, importSuppliers: [endpoint.importSupplier] };
    const events = await readEventsAfter(database, viewer, endpoint.position, deliveryPace.pageSize);
    if (events.length === 0) {
      // For later events, the dispatcher's next round enqueues the delivery again.
      await database.transaction((em) => completeWork(em, [workflowIds.deliverEvents(id)]));
      return 'done';
    }
    for (const wave of wavesOf(events, deliveryPace.atOnce)) {
      const end = await deliverWave(deps, { id, ...endpoint }, wave, cancelled);
      hasDelivered ||= end.delivered > 0;
      if (end.kind === 'gone') return 'ended';
      // A receiver that accepts some events and then fails is retried immediately.
      if (end.kind === 'failed') return hasDelivered ? 'more' : { why: end.why };
      if (performance.now() >= endsAt) break;
    }
  }
  return 'more';
}

type WaveEnd = { delivered: number } & ({ kind: 'delivered' } | { kind: 'gone' } | { kind: 'failed'; why: string });

/** Delivers events concurrently and stores the position before the first failure; that event and all after it are delivered again. */
async function deliverWave(
  { database, log, webhooks, onCall }: DeliveryDeps,
  endpoint: OpenEndpoint & { id: string },
  wave: readonly StoredEvent[],
  cancelled: AbortSignal,
): Promise<WaveEnd> {
  const outcomes = await Promise.all(wave.map((event) => webhooks.deliver(endpoint, event, cancelled)));
  for (const { kind } of outcomes) onCall(CLASS_OF[kind]);
  const bad = outcomes.find(({ kind }) => kind !== 'delivered');
  const delivered = bad === undefined ? wave.length : outcomes.indexOf(bad);
  if (delivered > 0) await noteDelivered(database, endpoint.id, wave[delivered - 1]!.position);
  if (bad?.kind === 'gone') {
    await database.transaction((em) => endEndpoint(em, endpoint.id, 'gone'));
    log.warn({ endpointId: endpoint.id }, 'endpoint ended: its receiver responded with 410');
    return { kind: 'gone', delivered };
  }
  if (bad?.kind !== 'failed') return { kind: 'delivered', delivered };
  if (!cancelled.aborted) await noteFailed(database, endpoint.id, wave[delivered]!.position, bad.why);
  return { kind: 'failed', why: bad.why, delivered };
}
