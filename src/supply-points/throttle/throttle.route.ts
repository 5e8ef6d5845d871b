import type { Clock } from '../../platform/clock.ts';
import type { Reply, Route } from '../../platform/http/route.ts';
import { isNetworkOperator, type NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import { isRefused, type Refused } from '../../vocabulary/refusals.ts';
import type { SteerDeps, SteerOrder } from '../steer/steer-lookups.route.ts';
import {
  findThrottleOpenApi,
  previewThrottleOpenApi,
  type PutThrottle,
  putThrottleOpenApi,
  putThrottleSchema,
  speedSchema,
  type ThrottlePreview,
} from './throttle.openapi.ts';
import { effectOfSpeed, type Speed, unknownNetworkOperator } from './throttle.rules.ts';
import { changeThrottle, findPending, findThrottle, hasOpenLookups } from './throttle.store.ts';
import { recordAudit } from '../../access/index.ts';
import { compileOperatorBody } from '../../platform/validation/compile-payload.ts';
import { signalWork } from '../../platform/work-items/work-item.store.ts';
import { lookupWorkItem } from '../populate/populate.store.ts';

const PATH = '/v1/operations/network-operators/:operator/throttle';

/** The routes that set, show and preview how fast a network operator is called. */
export const throttleRoutes = (deps: SteerDeps & { clock: Clock }): Route[] => [
  {
    method: 'PUT',
    path: PATH,
    access: 'operator',
    action: 'throttle.set',
    openApi: putThrottleOpenApi,
    bodyLimitBytes: 16_384,
    handle: async (request) => (await setThrottle(deps, request))!,
  },
  {
    method: 'GET',
    path: PATH,
    access: 'operator',
    action: 'look',
    openApi: findThrottleOpenApi,
    handle: async ({ params: { operator } }) =>
      isNetworkOperator(operator)
        ? { status: 200, body: await findThrottle(deps.database, operator) }
        : unknownNetworkOperator(),
  },
  {
    method: 'GET',
    path: `${PATH}/preview`,
    access: 'operator',
    action: 'look',
    openApi: previewThrottleOpenApi,
    handle: async ({ params: { operator }, query }) => {
      if (!isNetworkOperator(operator)) return unknownNetworkOperator();
      const found = await previewThrottle(deps, operator, query);
      return isRefused(found) ? found : { status: 200, body: found };
    },
  },
];

const checkSpeed = compileOperatorBody<PutThrottle>(speedSchema);
const checkThrottle = compileOperatorBody<PutThrottle>(putThrottleSchema);

/**
 * Shows the effect of a speed without setting it.
 * @param query `requests_per_second` and `requests_per_hour`; a missing or empty one keeps its value
 */
export async function previewThrottle(
  { database, clock }: Pick<SteerDeps, 'database'> & { clock: Clock },
  networkOperator: NetworkOperatorName,
  query: URLSearchParams,
): Promise<ThrottlePreview | Refused> {
  const sent = checkSpeed(speedIn(query));
  if (isRefused(sent)) return sent;
  const throttle = await findThrottle(database, networkOperator);
  const { pending, batches } = await findPending(database, networkOperator);
  const blocked = throttle.blocked_until;
  const fromMs = Math.max(clock.now().getTime(), blocked === null ? 0 : Date.parse(blocked));
  const proposed = {
    requests_per_second: sent.requests_per_second ?? throttle.requests_per_second,
    requests_per_hour: sent.requests_per_hour ?? throttle.requests_per_hour,
  };
  return {
    network_operator: networkOperator,
    pending,
    open_batches: batches,
    blocked_until: blocked,
    now: effectOfSpeed(throttle, pending, fromMs),
    proposed: effectOfSpeed(proposed, pending, fromMs),
  };
}

/** Converts the strings of a query or form to the numbers of a body. A malformed string is kept for the validation to reject. */
export function speedIn(texts: URLSearchParams): Record<string, unknown> {
  const given = (['requests_per_second', 'requests_per_hour'] as const).flatMap((name) => {
    const text = texts.get(name)?.trim() ?? '';
    return text === '' ? [] : [[name, /^-?\d{1,12}(?:\.\d{1,6})?$/.test(text) ? Number(text) : text]];
  });
  return Object.fromEntries(given) as Record<string, unknown>;
}

/**
 * Sets the speed of a network operator with an audit record. All workers apply it within one second.
 * @param seen the speed that the operator saw; if the stored one differs, nothing changes and the result is undefined
 */
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
    // Wakes a run that sleeps because the network operator was paused or slow.
    const hasPending = await hasOpenLookups(em, networkOperator);
    if (hasPending) await signalWork(em, [lookupWorkItem(networkOperator)]);
    await recordAudit(em, order.caller, {
      action: 'throttle.changed',
      subject: `network-operators/${networkOperator}/throttle`,
      ...change,
      reason: sent.reason,
    });
    return { view: await findThrottle(em, networkOperator), hasPending };
  });
  if (changed === undefined) return undefined;
  if (changed.hasPending) void deps.runs.start([lookupWorkItem(networkOperator)]);
  return { status: 200, body: changed.view };
}
