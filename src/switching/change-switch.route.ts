import type { Route } from '../platform/http/route.ts';
import { type ChangeSwitchDeps, decideClaim, setSwitchStatus } from './change-switch.client.ts';
import { decideClaimOpenApi, putSwitchStatusOpenApi } from './switching.openapi.ts';

/** `PUT account-import-processes/<supplier>/<external>/switch-status/`: sets the status of an account or of one of its points by hand. */
export const putSwitchStatus = (deps: ChangeSwitchDeps): Route => ({
  method: 'PUT',
  path: '/v1/operations/account-import-processes/:supplier/:external/switch-status',
  access: 'operator',
  action: 'account.change',
  openApi: putSwitchStatusOpenApi,
  bodyLimitBytes: 16_384,
  handle: (request) => setSwitchStatus(deps, request, request.body),
});

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
