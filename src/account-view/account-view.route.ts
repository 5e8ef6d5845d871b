import { contactDataReadOf } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { isRefused, refuse } from '../vocabulary/refusals.ts';
import { violation } from '../vocabulary/violations.ts';
import { readAccountFilter, listAccounts as listAccountsInDatabase } from './list-accounts.store.ts';
import { findAccountOpenApi, findRevisionOpenApi, listAccountsOpenApi } from './account-view.openapi.ts';
import { readAccount, readRevision } from './read-account.client.ts';

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

const PATH = '/v1/operations/accounts';
const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1_000;

/** `GET accounts/`: accounts by supplier, status, rejection code, tariff and day; the header Link leads to the next page. */
export const listAccounts = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: PATH,
  access: 'operator',
  action: 'look',
  openApi: listAccountsOpenApi,
  handle: async ({ query }) => {
    const sent = query.get('limit') ?? String(LIMIT_DEFAULT);
    const limit = /^\d{1,4}$/.test(sent) ? Number(sent) : 0;
    if (limit < 1 || limit > LIMIT_MAX) {
      const detail = `A whole number from 1 to ${LIMIT_MAX} is expected.`;
      return refuse('validation_failed', { violations: [violation('invalid', ['limit'], detail)] });
    }
    const read = readAccountFilter(query);
    if (isRefused(read)) return read;
    const { accounts, nextCursor } = await listAccountsInDatabase(deps.database, read.filter, {
      after: read.after,
      limit,
    });
    const next = new URLSearchParams({ ...read.filter, limit: String(limit), cursor: nextCursor ?? '' });
    const headers: Record<string, string> = nextCursor === undefined ? {} : { link: `<${PATH}/?${next}>; rel="next"` };
    return { status: 200, body: accounts, headers };
  },
});
