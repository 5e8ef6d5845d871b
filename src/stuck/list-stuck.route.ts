import { isRefused } from '../vocabulary/refusals.ts';
import { textCursor } from '../platform/http/newest-page.ts';
import { operatorRead, replyWith, type Route } from '../platform/http/route.ts';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { readCursor, unlessAway, type StuckWork } from './list-stuck.client.ts';
import { EXAMPLE_CURSOR, stuckListSchema } from './stuck.schema.ts';

const openApi: RouteOpenApi = {
  operationId: 'listStuck',
  summary: 'List stuck work with its causes',
  description:
    'Oldest first, 100 items per page. The data is about two seconds old, or older if reading it takes long.',
  page: 'docs/operators/when-something-waits.md',
  query: {
    account: {
      description: 'External account number, or `<supplier>/<number>`.',
      example: 'SUPPLIER_FR/HOME-00004711',
    },
    cause: { description: 'Only work with this cause.', example: 'database_refuses_data' },
    cursor: { description: '`next_cursor` of the previous page.', example: EXAMPLE_CURSOR, schema: textCursor },
  },
  replies: { 200: { description: 'A page of stuck work.', schema: stuckListSchema, example: { due_work: {} } } },
};

/** `GET stuck/`: stuck work with cause and advice, oldest first; `account`, `cause` and `cursor` filter it. */
export const listStuck = (deps: { stuck: StuckWork }): Route =>
  operatorRead({
    path: '/v1/operations/stuck',
    openApi,
    handle: async ({ query }) => {
      const after = readCursor(query.get('cursor'));
      if (isRefused(after)) return after;
      return replyWith(
        await unlessAway(() =>
          deps.stuck.list({ account: heldAsText(query.get('account')), cause: query.get('cause') || undefined, after }),
        ),
      );
    },
  });

/** A text that Postgres cannot store matches no account; neither does a single space. */
function heldAsText(account: string | null): string | undefined {
  if (!account) return undefined;
  return account.includes('\0') ? ' ' : account;
}
