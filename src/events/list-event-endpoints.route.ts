import { validate as isUuid } from 'uuid';
import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import type { EventEndpointView } from './event-endpoint.schema.ts';
import { viewOfEndpoint } from './event-endpoint-view.rules.ts';
import { countWaiting, findEndpoint, listEndpoints } from './event-endpoint.store.ts';
import { findEventEndpointOpenApi, listEventEndpointsOpenApi } from './event-endpoints.openapi.ts';

/** `GET event-endpoints/`: where events are delivered to, and how that goes. */
export const listEventEndpoints = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/event-endpoints',
  access: 'operator',
  action: 'look',
  openApi: listEventEndpointsOpenApi,
  handle: async () => ({ status: 200, body: await readEndpoints(deps) }),
});

/** All endpoints; those that have ended come last. */
export async function readEndpoints({ database }: { database: Database }): Promise<EventEndpointView[]> {
  return (await listEndpoints(database)).map(viewOfEndpoint);
}

/** `GET event-endpoints/<id>/`: one of them, with what waits for it. */
export const findEventEndpoint = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/event-endpoints/:endpoint',
  access: 'operator',
  action: 'look',
  openApi: findEventEndpointOpenApi,
  handle: async ({ params }) => {
    const found = await readEndpoint(deps, params['endpoint'] ?? '');
    return isRefused(found) ? found : { status: 200, body: found };
  },
});

/** An endpoint with what it has not taken yet; nothing waits for one that has ended. */
export interface EndpointWithWaiting extends EventEndpointView {
  /** 1,000 at most. */
  events_waiting: number;
  waiting_since: string | null;
}

/** Reads one endpoint. @returns a refusal where there is none */
export async function readEndpoint(
  { database }: { database: Database },
  id: string,
): Promise<EndpointWithWaiting | Refused> {
  const record = isUuid(id) ? await findEndpoint(database, id) : undefined;
  if (record === undefined) return refuse('not_found', { detail: 'There is no endpoint with this id.' });
  const waiting = record.endedAt === null ? await countWaiting(database, record) : { count: 0, since: null };
  return {
    ...viewOfEndpoint(record),
    events_waiting: waiting.count,
    waiting_since: waiting.since?.toISOString() ?? null,
  };
}
