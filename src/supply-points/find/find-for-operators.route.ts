import type { Database } from '../../platform/database/database.ts';
import type { Route } from '../../platform/http/route.ts';
import { isNetworkOperator } from '../../vocabulary/network-operators.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import { listDeferredLookups } from '../lookup/deferred-lookup.store.ts';
import { unknownNetworkOperator } from '../throttle/throttle.rules.ts';
import {
  findSupplyPointOpenApi,
  listBatchesForOperatorOpenApi,
  listDeferredLookupsOpenApi,
} from './find-supply-points.openapi.ts';
import { readSupplyPoint } from './find-supply-point.store.ts';
import { findBatchPage } from './list-batches.store.ts';

/** The routes that show operators the batches of all organisations and deferred lookups. */
export const findForOperatorsRoutes = ({ database }: { database: Database }): Route[] => [
  {
    method: 'GET',
    path: '/v1/operations/population-batches',
    access: 'operator',
    action: 'look',
    openApi: listBatchesForOperatorOpenApi,
    handle: async ({ query }) => {
      const found = await findBatchPage(database, query);
      return isRefused(found) ? found : { status: 200, body: found };
    },
  },
  {
    method: 'GET',
    path: '/v1/operations/look-ups/:operator/set-aside',
    access: 'operator',
    action: 'look',
    openApi: listDeferredLookupsOpenApi,
    handle: async ({ params: { operator }, query }) => {
      if (!isNetworkOperator(operator)) return unknownNetworkOperator();
      const found = await listDeferredLookups(database, operator, query.get('cursor'));
      return isRefused(found) ? found : { status: 200, body: found };
    },
  },
];

/** `GET supply-points/<operator>/<identifier>/`: one supply point with its lookups and accounts. */
export const findSupplyPoint = ({ database }: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/supply-points/:operator/:identifier',
  access: 'operator',
  action: 'look',
  openApi: findSupplyPointOpenApi,
  handle: async ({ params, caller }) => {
    const found = await readSupplyPoint(database, caller, params);
    return isRefused(found) ? found : { status: 200, body: found };
  },
});
