import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import { searchOpenApi } from './search.openapi.ts';
import { findAnything } from './search.store.ts';

/** `GET search/?q=`: searches by number, address or name. */
export const search = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/search',
  access: 'operator',
  action: 'look',
  openApi: searchOpenApi,
  handle: async ({ query, caller }) => ({
    status: 200,
    body: await findAnything(deps.database, caller, query.get('q') ?? ''),
  }),
});
