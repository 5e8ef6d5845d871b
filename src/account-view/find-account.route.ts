import { contactDataReadOf } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { isRefused } from '../vocabulary/refusals.ts';
import { findAccountOpenApi } from './account-view.openapi.ts';
import { readAccount } from './read-account.store.ts';

/** `GET accounts/<supplier>/<external>/`: all that is stored of an import process and its account. */
export const findAccount = (deps: { database: Database; gateway: TemporalGateway }): Route => ({
  method: 'GET',
  path: '/v1/operations/accounts/:supplier/:external',
  access: 'operator',
  action: 'look',
  openApi: findAccountOpenApi,
  handle: async (request) => {
    const { params, caller } = request;
    const read = contactDataReadOf(request);
    if (isRefused(read)) return read;
    const { supplier, external } = params;
    const json = await readAccount(deps, caller, { supplier, external }, read);
    return isRefused(json) ? json : { status: 200, body: undefined, bodyJson: json };
  },
});
