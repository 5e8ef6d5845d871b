import { contactDataReadOf } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import { isRefused } from '../vocabulary/refusals.ts';
import { findRevisionOpenApi } from './account-view.openapi.ts';
import { readRevision } from './read-account.store.ts';

/** `GET accounts/<supplier>/<external>/revisions/<revision>/`: the staged data of a revision and its changes. */
export const findRevision = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/accounts/:supplier/:external/revisions/:revision',
  access: 'operator',
  action: 'look',
  openApi: findRevisionOpenApi,
  handle: async (request) => {
    const read = contactDataReadOf(request);
    if (isRefused(read)) return read;
    const json = await readRevision(deps.database, request.caller, request.params, read);
    return isRefused(json) ? json : { status: 200, body: undefined, bodyJson: json };
  },
});
