import type { Route } from '../platform/http/route.ts';
import type { ChangeSwitchDeps } from './change-switch.client.ts';
import { decideClaim } from './decide-claim.client.ts';
import { decideClaimOpenApi } from './switching.openapi.ts';

/** `PUT account-import-processes/<supplier>/<external>/supply-point-claim/`: decides about held points of an account. */
export const decideClaimRoute = (deps: ChangeSwitchDeps): Route => ({
  method: 'PUT',
  path: '/v1/operations/account-import-processes/:supplier/:external/supply-point-claim',
  access: 'operator',
  action: 'account.change',
  openApi: decideClaimOpenApi,
  bodyLimitBytes: 16_384,
  handle: (request) => decideClaim(deps, request, request.body),
});
