import { accountKeyPath } from '../accounts/account-key.schema.ts';
import type { Route } from '../platform/http/route.ts';
import { type ChangeSwitchDeps, decideClaim, setSwitchStatus } from './change-switch.client.ts';
import { claimDecisionSchema, EXAMPLE_POINT, switchStatusSchema, switchView } from './market-message.schema.ts';

const replies = { 200: { description: 'The switch of the account.', schema: switchView } };

/** `PUT account-import-processes/<supplier>/<external>/switch-status/`: sets the status of an account or of one of its points by hand. */
export const putSwitchStatus = (deps: ChangeSwitchDeps): Route => ({
  method: 'PUT',
  path: '/v1/operations/account-import-processes/:supplier/:external/switch-status',
  access: 'operator',
  action: 'account.change',
  openApi: {
    operationId: 'putSwitchStatus',
    summary: 'Set the switch status of an account manually',
    description:
      'For all supply points, or for the named one. `PENDING` requests the switch again. It dismisses the unmatched messages of the account.',
    path: accountKeyPath,
    request: switchStatusSchema,
    rules: { supply_point_identifier: ['supply_point_not_found'] },
    requestExamples: { 'send again': { status: 'PENDING', reason: 'The customer has signed now' } },
    replies,
    refusals: ['account_not_found'],
  },
  bodyLimitBytes: 16_384,
  handle: (request) => setSwitchStatus(deps, request, request.body),
});

/** `PUT account-import-processes/<supplier>/<external>/supply-point-claim/`: decides about held points of an account. */
export const decideClaimRoute = (deps: ChangeSwitchDeps): Route => ({
  method: 'PUT',
  path: '/v1/operations/account-import-processes/:supplier/:external/supply-point-claim',
  access: 'operator',
  action: 'account.change',
  openApi: {
    operationId: 'decideSupplyPointClaim',
    summary: 'Decide about a supply point that another account also has',
    description:
      'For all held supply points of the account, or for the named one. `GO_ON`: the switch is requested when it is due. `LEAVE`: the point stays with the other account, and its switch here is rejected.',
    page: 'docs/operators/when-something-waits.md#claims',
    path: accountKeyPath,
    request: claimDecisionSchema,
    requestExamples: {
      'go on': { decision: 'GO_ON', reason: 'The former customer has moved out' },
      'leave it': { decision: 'LEAVE', supply_point_identifier: EXAMPLE_POINT, reason: 'Imported twice' },
    },
    replies,
    refusals: ['account_not_found', 'not_found'],
  },
  bodyLimitBytes: 16_384,
  handle: (request) => decideClaim(deps, request, request.body),
});
