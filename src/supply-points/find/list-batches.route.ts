import type { Database } from '../../platform/database/database.ts';
import type { Route } from '../../platform/http/route.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import { findBatchPage } from './list-batches.client.ts';
import { listBatchesForOperatorOpenApi } from './lookup-lists.openapi.ts';

/** `GET population-batches/`: batches of all organisations, newest first. */
export const listBatchesForOperator = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/population-batches',
  access: 'operator',
  action: 'look',
  openApi: listBatchesForOperatorOpenApi,
  handle: async ({ query }) => {
    const found = await findBatchPage(deps.database, query);
    return isRefused(found) ? found : { status: 200, body: found };
  },
});
