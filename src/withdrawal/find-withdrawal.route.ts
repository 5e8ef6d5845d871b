import { workflowIds } from '../../temporal.config.ts';
import type { Database } from '../platform/database/database.ts';
import { readRoute } from '../platform/http/read-route.ts';
import { replyWith, type Route } from '../platform/http/route.ts';
import { forOperators, type RouteOpenApi } from '../platform/http/route-openapi.ts';
import { refuse, type Refused } from '../vocabulary/refusals.ts';
import { isUuid } from '../vocabulary/wire-forms.ts';
import { businessOutcomeSentences, type WithdrawalObstacle } from '../vocabulary/withdrawals.ts';
import { obstacleViews } from './preview-withdrawal.store.ts';
import { countBusinessOutcomes } from './withdraw-businesses.store.ts';
import { withdrawalPath, withdrawalView, type WithdrawalView } from './withdrawal.schema.ts';
import { EXAMPLES_MAX, findExamples, findWithdrawal, type WithdrawalViewer } from './withdrawal.store.ts';

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
