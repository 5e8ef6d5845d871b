import { recordAudit, type Actor } from '../../access/index.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Reply } from '../../platform/http/route.ts';
import { compileOperatorBody } from '../../platform/validation/compile-operator-body.ts';
import { signalWork } from '../../platform/work-items/work-item.store.ts';
import { isNetworkOperator, type NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import type { LookupRuns } from '../lookup/lookup-runs.client.ts';
import { isBatchId, unknownBatch } from '../populate/population-batch.rules.ts';
import { lookupWorkItem } from '../populate/populate.store.ts';
import { cancelBatchIn } from '../populate/population-batch.store.ts';
import { retryBatchIn, retryLookupIn } from '../lookup/retry-lookups.store.ts';
import {
  retryLookupsSchema,
  steeringReasonSchema,
  type RetryLookups,
  type SteeringReason,
} from './steer-lookups.schema.ts';
import { changeAudited, type AuditedSteering } from './steer-lookups.store.ts';
import type { Speed } from '../throttle/throttle-effect.rules.ts';
import { unknownNetworkOperator } from '../throttle/throttle.rules.ts';
import { putThrottleSchema, type PutThrottle } from '../throttle/throttle.schema.ts';
import { changeThrottle, findThrottle, hasOpenLookups } from '../throttle/throttle.store.ts';

/** What it takes to change lookups that are under way. */
export interface SteerDeps {
  database: Database;
  runs: LookupRuns;
}

/** Who changes what; an operator's call has these members, and so has a form of the support site. */
export interface SteerOrder {
  params: Readonly<Record<string, string>>;
  body: unknown;
  caller: Actor;
}

const checkReason = compileOperatorBody<SteeringReason>(steeringReasonSchema);
const checkSelection = compileOperatorBody<RetryLookups>(retryLookupsSchema);
const checkThrottle = compileOperatorBody<PutThrottle>(putThrottleSchema);

/** Cancels a batch, with its row of the audit: what is pending ends as errored, what is complete stays. */
export async function cancelBatch(deps: SteerDeps, order: SteerOrder): Promise<Reply | Refused> {
  const sent = checkReason(order.body === undefined ? {} : order.body);
  if (isRefused(sent)) return sent;
  const batchId = order.params['batch'] ?? '';
  if (!isBatchId(batchId)) return unknownBatch();
  const audited = auditOf(order, sent, 'population_batch.cancelled', `population-batches/${batchId}`);
  const outcome = await changeAudited(deps.database, audited, (em) => cancelBatchIn(em, batchId));
  if (outcome === null) return unknownBatch();
  void deps.runs.wake({ networkOperators: [], batchIds: [batchId] });
  return { status: 200, body: { batch_id: batchId, ...outcome } };
}

/** Asks again for all that is errored or deferred in a batch, with its row of the audit. */
export async function retryBatch(deps: SteerDeps, order: SteerOrder): Promise<Reply | Refused> {
  const sent = checkReason(order.body === undefined ? {} : order.body);
  if (isRefused(sent)) return sent;
  const batchId = order.params['batch'] ?? '';
  if (!isBatchId(batchId)) return unknownBatch();
  const audited = auditOf(order, sent, 'population_batch.retried', `population-batches/${batchId}`);
  const again = await changeAudited(deps.database, audited, (em) => retryBatchIn(em, batchId));
  if (again === null) return unknownBatch();
  void deps.runs.wake(again);
  return { status: 200, body: { batch_id: batchId, retried: again.retried } };
}

/** Asks again for one identifier, for every batch that wants it, with its row of the audit. */
export async function retryLookup(deps: SteerDeps, order: SteerOrder): Promise<Reply | Refused> {
  const sent = checkReason(order.body === undefined ? {} : order.body);
  if (isRefused(sent)) return sent;
  const { operator: networkOperator, identifier = '' } = order.params;
  if (!isNetworkOperator(networkOperator)) return unknownNetworkOperator();
  const retried = await retryOne(deps, order, sent, networkOperator, identifier);
  return retried === undefined
    ? refuse('not_found', { detail: 'No batch has ever asked this operator for this identifier.' })
    : { status: 200, body: { network_operator: networkOperator, identifier, retried } };
}

/**
 * Asks again for a selection of identifiers, each with its row of the audit; one that nobody has asked for keeps nobody from the others.
 * @param order its body as `retryLookupsSchema` has it
 */
export async function retryLookups(deps: SteerDeps, order: SteerOrder): Promise<Reply | Refused> {
  const sent = checkSelection(order.body);
  if (isRefused(sent)) return sent;
  const { operator: networkOperator } = order.params;
  if (!isNetworkOperator(networkOperator)) return unknownNetworkOperator();
  let retried = 0;
  for (const identifier of new Set(sent.identifiers)) {
    retried += (await retryOne(deps, order, sent, networkOperator, identifier)) ?? 0;
  }
  return { status: 200, body: { network_operator: networkOperator, retried } };
}

/** @returns how many lookups are asked again; undefined when nobody has asked for the identifier */
async function retryOne(
  deps: SteerDeps,
  order: SteerOrder,
  sent: SteeringReason,
  networkOperator: NetworkOperatorName,
  identifier: string,
): Promise<number | undefined> {
  if (!/^[0-9A-Z]{1,64}$/.test(identifier)) return undefined;
  const audited = auditOf(order, sent, 'look_up.retried', `look-ups/${networkOperator}/${identifier}`);
  const again = await changeAudited(deps.database, audited, (em) => retryLookupIn(em, networkOperator, identifier));
  if (again === null) return undefined;
  void deps.runs.wake(again);
  return again.retried;
}

/**
 * Sets how fast a network operator is asked, with its row of the audit; calls keep to it a second later, over all workers.
 * @param order its body as `putThrottleSchema` has it
 * @param seen the speed that it was held against: where another one is set by now, nothing is done
 * @returns undefined where nothing was done
 */
export async function setThrottle(deps: SteerDeps, order: SteerOrder): Promise<Reply | Refused>;
export async function setThrottle(
  deps: SteerDeps,
  order: SteerOrder,
  seen: Speed,
): Promise<Reply | Refused | undefined>;
export async function setThrottle(
  deps: SteerDeps,
  order: SteerOrder,
  seen?: Speed,
): Promise<Reply | Refused | undefined> {
  const { operator: networkOperator } = order.params;
  if (!isNetworkOperator(networkOperator)) return unknownNetworkOperator();
  const sent = checkThrottle(order.body);
  if (isRefused(sent)) return sent;
  const changed = await deps.database.transaction(async (em) => {
    const change = await changeThrottle(em, networkOperator, sent, seen);
    if (change === undefined) return undefined;
    // A run that rests because the network operator was paused, or slow, looks again now.
    const isAwaited = await hasOpenLookups(em, networkOperator);
    if (isAwaited) await signalWork(em, [lookupWorkItem(networkOperator)]);
    await recordAudit(em, order.caller, {
      action: 'throttle.changed',
      subject: `network-operators/${networkOperator}/throttle`,
      ...change,
      reason: sent.reason,
    });
    return { view: await findThrottle(em, networkOperator), isAwaited };
  });
  if (changed === undefined) return undefined;
  if (changed.isAwaited) void deps.runs.wake({ networkOperators: [networkOperator], batchIds: [] });
  return { status: 200, body: changed.view };
}

function auditOf({ caller }: SteerOrder, { reason }: SteeringReason, action: string, subject: string): AuditedSteering {
  return { caller, action, subject, reason };
}
