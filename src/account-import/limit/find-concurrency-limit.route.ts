import type { Database } from '../../platform/database/database.ts';
import type { Route } from '../../platform/http/route.ts';
import { findConcurrencyLimitOpenApi } from './concurrency-limit.openapi.ts';
import { findConcurrencyLimit as findConcurrencyLimitInDatabase } from './concurrency-limit.store.ts';

/** `GET settings/create-account-concurrency-limit/`: the limit, why it was set, and how many slots are in use. */
export const findConcurrencyLimit = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/settings/create-account-concurrency-limit',
  access: 'operator',
  action: 'look',
  openApi: findConcurrencyLimitOpenApi,
  handle: async () => ({ status: 200, body: await findConcurrencyLimitInDatabase(deps.database.em()) }),
});
