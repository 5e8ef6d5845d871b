import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import { viewOfEndpoint } from './event-endpoint-view.rules.ts';
import { listEndpoints } from './event-endpoint.store.ts';
import { listEventEndpointsOpenApi } from './event-endpoints.openapi.ts';

/** `GET event-endpoints/`: where events are delivered to, and how that goes. */
export const listEventEndpoints = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/event-endpoints',
  access: 'operator',
  action: 'look',
  openApi: listEventEndpointsOpenApi,
  handle: async () => ({ status: 200, body: (await listEndpoints(deps.database)).map(viewOfEndpoint) }),
});
