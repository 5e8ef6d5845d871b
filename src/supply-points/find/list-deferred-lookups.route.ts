import type { Database } from '../../platform/database/database.ts';
import type { Route } from '../../platform/http/route.ts';
import { isNetworkOperator } from '../../vocabulary/network-operators.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import { listDeferredLookups as list } from './list-deferred-lookups.store.ts';
import { listDeferredLookupsOpenApi } from './lookup-lists.openapi.ts';
import { unknownNetworkOperator } from '../throttle/throttle.rules.ts';

/** `GET look-ups/<operator>/set-aside/`: what a network operator has failed on, and when it is asked again. */
export const listDeferredLookups = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/look-ups/:operator/set-aside',
  access: 'operator',
  action: 'look',
  openApi: listDeferredLookupsOpenApi,
  handle: async ({ params, query }) => {
    const { operator: networkOperator } = params;
    if (!isNetworkOperator(networkOperator)) return unknownNetworkOperator();
    const found = await list(deps.database, networkOperator, query.get('cursor'));
    return isRefused(found) ? found : { status: 200, body: found };
  },
});
