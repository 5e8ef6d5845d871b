import type { Route } from '../platform/http/route.ts';
import type { ChangeSwitchDeps } from './change-switch.client.ts';
import { assignMessage as assign } from './decide-message.client.ts';
import { assignMessageOpenApi } from './market-message.openapi.ts';

/** `POST market-messages/<id>/assign/`: assigns an unmatched message to an account or one of its points, with a reason. */
export const assignMessage = (deps: ChangeSwitchDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/market-messages/:id/assign',
  access: 'operator',
  action: 'market-message.decide',
  openApi: assignMessageOpenApi,
  bodyLimitBytes: 16_384,
  handle: ({ params, body, caller, log }) => assign(deps, { id: params['id'] ?? '', caller, log }, body),
});
