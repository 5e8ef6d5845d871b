import { recordAudit } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import { isNetworkOperator } from '../vocabulary/network-operators.ts';
import { refuse } from '../vocabulary/refusals.ts';
import { findSupplyPoint as findSupplyPointInDatabase } from './find-supply-point.store.ts';
import { findSupplyPointOpenApi } from './find-supply-point.openapi.ts';
import { unknownNetworkOperator } from './throttle.rules.ts';

/** `GET supply-points/<operator>/<identifier>/`: what is known of one point. It leads to accounts, so each read leaves a line in the audit. */
export const findSupplyPoint = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/supply-points/:operator/:identifier',
  access: 'operator',
  action: 'look',
  openApi: findSupplyPointOpenApi,
  handle: async ({ params, caller }) => {
    const { operator: networkOperator, identifier = '' } = params;
    if (!isNetworkOperator(networkOperator)) return unknownNetworkOperator();
    const isPossible = /^[0-9A-Z]{1,64}$/.test(identifier);
    const found = isPossible ? await findSupplyPointInDatabase(deps.database, networkOperator, identifier) : undefined;
    if (found === undefined) {
      return refuse('not_found', { detail: 'No batch and no account has named this supply point.' });
    }
    await recordAudit(deps.database, caller, {
      action: 'supply_point.read',
      subject: `supply-points/${networkOperator}/${identifier}`,
    });
    return { status: 200, body: found };
  },
});
