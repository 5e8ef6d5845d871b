import { workflowIds } from '../../temporal.config.ts';
import type { Database } from '../platform/database/database.ts';
import { readRoute, replyWith, type Route, type Reply } from '../platform/http/route.ts';
import { forOperators, type RouteOpenApi } from '../platform/http/route-openapi.ts';
import { refuse, type Refused } from '../vocabulary/refusals.ts';
import { isUuid } from '../vocabulary/wire-forms.ts';
import {
  businessOutcomeSentences,
  type WithdrawalObstacle,
  businessOutcomes,
  withdrawalObstacles,
} from '../vocabulary/withdrawals.ts';
import { obstacleViews } from './find-obstacles.store.ts';
import { countBusinessOutcomes } from './withdraw-businesses.store.ts';
import { withdrawalPath, withdrawalView, type WithdrawalView } from './withdrawal.schema.ts';
import {
  EXAMPLES_MAX,
  findExamples,
  findWithdrawal,
  type WithdrawalViewer,
  readBusinessesOf,
  readKeptAccounts,
} from './withdrawal.store.ts';
import { Type } from 'typebox';
import { requiredChoice } from '../platform/validation/field-types.schema.ts';

const openApi: RouteOpenApi = {
  operationId: 'findWithdrawal',
  tag: 'Import jobs',
  summary: 'Read the progress and the receipt of a withdrawal',
  page: 'docs/operators/withdrawal.md',
  path: withdrawalPath,
  replies: { 200: { description: 'The withdrawal.', schema: withdrawalView } },
  refusals: ['withdrawal_not_found'],
};

/** `GET withdrawals/<id>/`: the progress, obstacles and receipt of a withdrawal. Responds 404 for those that the key may not see. */
export const findWithdrawalRoute = (deps: { database: Database }, access: 'supplier' | 'operator'): Route =>
  readRoute(
    access,
    'withdrawals/:withdrawal',
    { openApi: access === 'supplier' ? openApi : forOperators(openApi) },
    async ({ params }, viewer) => replyWith(await readWithdrawal(deps.database, params['withdrawal'] ?? '', viewer)),
  );

/** Reads a withdrawal. @param viewer undefined for operators, who see all */
export async function readWithdrawal(
  database: Database,
  id: string,
  viewer: WithdrawalViewer | undefined,
): Promise<WithdrawalView | Refused> {
  const record = isUuid(id) ? await findWithdrawal(database, id, viewer) : undefined;
  if (record === undefined) return refuse('withdrawal_not_found');
  const codes = Object.keys(record.obstacles) as WithdrawalObstacle[];
  const examples = new Map<WithdrawalObstacle, string[]>();
  for (const code of codes) examples.set(code, await findExamples(database, id, code));
  const outcomes = await countBusinessOutcomes(database, id, EXAMPLES_MAX);
  return {
    withdrawal_id: id,
    import_supplier: record.importSupplier,
    external_account_number: record.externalAccountNumber ?? null,
    job_id: record.importJobId ?? null,
    wave_id: record.waveId ?? null,
    status: record.status,
    requested_by: viewer !== undefined && record.isByOperator ? 'operators' : record.requestedBy,
    reason: record.reason,
    withdrawn: record.withdrawn,
    kept: record.kept,
    obstacles: obstacleViews(record.obstacles, (code) => examples.get(code) ?? []),
    withdraw_businesses: record.withdrawsBusinesses,
    businesses: outcomes.map((one) => ({ ...one, description: businessOutcomeSentences[one.outcome] })),
    deleted_rows: Object.entries(record.deletedRows)
      .map(([table, rows]) => ({ table, rows }))
      .toSorted((one, other) => (one.table < other.table ? -1 : 1)),
    workflow_id: workflowIds.withdraw(id),
    created_at: record.createdAt.toISOString(),
    ended_at: record.endedAt?.toISOString() ?? null,
  };
}

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
type WithdrawalList = keyof typeof lists;

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
