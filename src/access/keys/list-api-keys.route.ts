import type { Database } from '../../platform/database/database.ts';
import type { Route } from '../../platform/http/route.ts';
import { listApiKeysOpenApi } from './api-key.openapi.ts';
import { findApiKeys } from './api-key.store.ts';

/** `GET api-keys/`: all keys, newest first, without their secrets. */
export const listApiKeys = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/api-keys',
  access: 'operator',
  action: 'look',
  openApi: listApiKeysOpenApi,
  handle: async () => ({ status: 200, body: await findApiKeys(deps.database.em()) }),
});
