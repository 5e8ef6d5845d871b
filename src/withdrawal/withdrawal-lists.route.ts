import { Type } from 'typebox';
import type { Database } from '../platform/database/database.ts';
import { readRoute } from '../platform/http/read-route.ts';
import type { Reply, Route } from '../platform/http/route.ts';
import { forOperators, type RouteOpenApi } from '../platform/http/route-openapi.ts';
import { requiredChoice } from '../platform/validation/field-types.schema.ts';
import { refuse, type Refused } from '../vocabulary/refusals.ts';
import { isUuid } from '../vocabulary/wire-forms.ts';
import { businessOutcomes, withdrawalObstacles } from '../vocabulary/withdrawals.ts';
import { withdrawalPath } from './withdrawal.schema.ts';
import { findWithdrawal, type WithdrawalViewer } from './withdrawal.store.ts';
import { readBusinessesOf, readKeptAccounts } from './withdrawal-lists.store.ts';

interface ListDeps {
  /** Database of the list pool, so that long lists do not use connections of other requests. */
  lists: Database;
}

const keptLine = Type.Object(
  { external_account_number: Type.String(), obstacles: Type.Array(requiredChoice(withdrawalObstacles)) },
  { title: 'KeptAccount', examples: [{ external_account_number: 'HOME-00004711', obstacles: ['notes_added'] }] },
);

const businessLine = Type.Object(
  {
    external_business_identifier: Type.String(),
    service_business_id: Type.Integer(),
    outcome: Type.Union([requiredChoice(businessOutcomes), Type.Null()]),
  },
  {
    title: 'BusinessOfWithdrawal',
    examples: [{ external_business_identifier: 'BIZ-0042', service_business_id: 4711, outcome: 'withdrawn' }],
  },
);

const lists = {
  kept: {
    read: readKeptAccounts,
    openApi: {
      operationId: 'listKeptAccounts',
      summary: 'Read the accounts that a withdrawal kept',
      description: 'One line of JSON for each account with an obstacle, in the order of the external numbers.',
      replies: { 200: { description: 'The kept accounts.', mediaType: 'application/x-ndjson', schema: keptLine } },
    },
  },
  businesses: {
    read: readBusinessesOf,
    openApi: {
      operationId: 'listBusinessesOfWithdrawal',
      summary: 'Read the businesses of the accounts of a withdrawal',
      description:
        'One line of JSON for each business whose contracts withdrawn accounts had, in the order of the identifiers. `outcome` is null until the last account is withdrawn.',
      replies: { 200: { description: 'The businesses.', mediaType: 'application/x-ndjson', schema: businessLine } },
    },
  },
} as const;

/** Lists of a withdrawal. */
export type WithdrawalList = keyof typeof lists;

/** `GET withdrawals/<id>/kept/` and `GET withdrawals/<id>/businesses/`: complete lists as JSON lines. */
export const withdrawalListRoute = (
  { lists: database }: ListDeps,
  list: WithdrawalList,
  access: 'supplier' | 'operator',
): Route => {
  const openApi: RouteOpenApi = {
    ...lists[list].openApi,
    tag: 'Import jobs',
    page: 'docs/operators/withdrawal.md',
    path: withdrawalPath,
    refusals: ['withdrawal_not_found'],
  };
  return readRoute(
    access,
    `withdrawals/:withdrawal/${list}`,
    { isLong: true, openApi: access === 'supplier' ? openApi : forOperators(openApi) },
    ({ params }, viewer) => readWithdrawalList(database, list, params['withdrawal'] ?? '', viewer),
  );
};

/** Streams a list of a withdrawal as JSON lines. @param viewer undefined for operators, who see all */
export async function readWithdrawalList(
  database: Database,
  list: WithdrawalList,
  id: string,
  viewer: WithdrawalViewer | undefined,
): Promise<(Reply & { body: AsyncIterable<string> }) | Refused> {
  const record = isUuid(id) ? await findWithdrawal(database, id, viewer) : undefined;
  if (record === undefined) return refuse('withdrawal_not_found');
  return { status: 200, mediaType: 'application/x-ndjson', body: lists[list].read(database, id) };
}
