import { recordAudit } from '../../access/index.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Route } from '../../platform/http/route.ts';
import { refuse } from '../../vocabulary/refusals.ts';
import { violation, type Violation } from '../../vocabulary/violations.ts';
import { findNewestBatches, type ListedBatch } from './newest-batches.store.ts';
import { countsByList, isBatchId } from '../populate/population-batch.rules.ts';
import { listBatchesOpenApi } from './list-population-batches.openapi.ts';

const PATH = '/v1/data-import/supply-point/populate';
const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;

/** `GET supply-point/populate/`: the newest batches, so that one whose answer was lost is found. Each is listed for whom its status can be seen by. */
export const listPopulationBatches = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: PATH,
  access: 'supplier',
  openApi: listBatchesOpenApi,
  handle: async ({ query, caller }) => {
    const sent = query.get('limit') ?? String(LIMIT_DEFAULT);
    const limit = /^\d{1,3}$/.test(sent) ? Number(sent) : 0;
    const cursor = query.get('cursor') ?? undefined;
    const violations: Violation[] = [];
    if (limit < 1 || limit > LIMIT_MAX) {
      violations.push(violation('invalid', ['limit'], `A whole number from 1 to ${LIMIT_MAX} is expected.`));
    }
    if (cursor !== undefined && !isBatchId(cursor)) {
      violations.push(violation('invalid', ['cursor'], 'Take the cursor from the Link header of the page before.'));
    }
    if (violations.length > 0) return refuse('validation_failed', { violations });
    // An operator is shown the batches of all organisations.
    if (caller.role === 'operator') {
      await recordAudit(deps.database, caller, { action: 'operations.read', subject: 'population-batches' });
    }
    const batches = await findNewestBatches(
      deps.database,
      cursor,
      limit,
      caller.role === 'operator' ? undefined : caller,
    );
    const last = batches.length === limit ? batches.at(-1) : undefined;
    const headers: Record<string, string> =
      last === undefined ? {} : { link: `<${PATH}/?limit=${limit}&cursor=${last.batchId}>; rel="next"` };
    return { status: 200, body: batches.map(viewOf), headers };
  },
});

function viewOf(batch: ListedBatch) {
  const progress = batch.operatorProgress.map((one) => ({
    ...one,
    pending: one.accepted - one.imported - one.errored,
    ratePerSecond: 0,
  }));
  return {
    batch_id: batch.batchId,
    status: batch.status,
    import_suppliers: batch.importSuppliers,
    counts: {
      accepted: countsByList(progress, 'accepted'),
      imported: countsByList(progress, 'imported'),
      pending: countsByList(progress, 'pending'),
      errored: countsByList(progress, 'errored'),
    },
    created_at: batch.createdAt.toISOString(),
    ended_at: batch.endedAt?.toISOString() ?? null,
  };
}
