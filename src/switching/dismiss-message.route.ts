import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import { dismissMessage as dismiss } from './decide-message.client.ts';
import { dismissMessageOpenApi } from './switching.openapi.ts';

/** `DELETE market-messages/<id>/`: dismisses an unmatched message, with a reason. */
export const dismissMessage = (deps: { database: Database }): Route => ({
  method: 'DELETE',
  path: '/v1/operations/market-messages/:id',
  access: 'operator',
  action: 'market-message.decide',
  openApi: dismissMessageOpenApi,
  bodyLimitBytes: 16_384,
  handle: ({ params, body, caller }) => dismiss(deps.database, { id: params['id'] ?? '', caller }, body),
});
