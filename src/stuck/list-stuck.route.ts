import { isRefused } from '../vocabulary/refusals.ts';
import type { Route } from '../platform/http/route.ts';
import { isTemporalAway } from '../platform/temporal/temporal-faults.ts';
import { listStuckOpenApi } from './stuck.openapi.ts';
import { readCursor, type StuckWork } from './list-stuck.client.ts';
import { temporalAway } from './retry-by-operator.client.ts';

/** `GET stuck/`: stuck work with cause and advice, oldest first; `account`, `cause` and `cursor` filter it. */
export const listStuck = (deps: { stuck: StuckWork }): Route => ({
  method: 'GET',
  path: '/v1/operations/stuck',
  access: 'operator',
  action: 'look',
  openApi: listStuckOpenApi,
  handle: async ({ query }) => {
    const after = readCursor(query.get('cursor'));
    if (isRefused(after)) return after;
    try {
      return {
        status: 200,
        body: await deps.stuck.list({
          account: heldAsText(query.get('account')),
          cause: query.get('cause') || undefined,
          after,
        }),
      };
    } catch (error) {
      if (isTemporalAway(error)) return temporalAway();
      throw error;
    }
  },
});

/** A text that Postgres cannot store matches no account; neither does a single space. */
function heldAsText(account: string | null): string | undefined {
  if (!account) return undefined;
  return account.includes('\0') ? ' ' : account;
}
