import type { Database } from '../platform/database/database.ts';
import type { AuthenticatedRequest, Caller, Reply, Route } from '../platform/http/route.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { violation } from '../vocabulary/violations.ts';
import { countsByList, estimatedEnd, ratePerSecond } from './population-batch.rules.ts';
import { findBatchCounts, listIdentifiers, type BatchCounts } from './population-batch.store.ts';
import { findResults } from './look-up-result.store.ts';
import { listSetAside } from './set-aside.store.ts';
import { findBatchContract, findBatchForOperatorContract } from './supply-points.contract.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const LISTED = 100;
const LISTED_MAX = 100_000;

/** `GET supply-point/populate/<batch_id>/`: how far a batch is. A batch of another organisation, or of an import supplier that the key has not, looks like none. */
export const findPopulationBatch = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/data-import/supply-point/populate/:batch',
  access: 'supplier',
  contract: findBatchContract,
  handle: (request) => answer(deps.database, request, request.caller.role === 'operator' ? undefined : request.caller),
});

/** `GET population-batches/<batch_id>/`: the same for operators. */
export const findPopulationBatchForOperator = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/population-batches/:batch',
  access: 'operator',
  action: 'read',
  contract: findBatchForOperatorContract,
  handle: (request) => answer(deps.database, request, undefined),
});

async function answer(database: Database, { params, query }: AuthenticatedRequest, viewer: Caller | undefined): Promise<Reply | Refused> {
  const batchId = params['batch'] ?? '';
  const limit = query.get('limit');
  const listed = limit === null ? LISTED : Number(limit);
  if (!/^\d{1,6}$/.test(limit ?? '1') || listed > LISTED_MAX) {
    return refuse('validation_failed', { violations: [violation('invalid', ['limit'], `A whole number from 0 to ${LISTED_MAX} is expected.`)] });
  }
  const batch = isBatchId(batchId) ? await findBatchCounts(database, batchId, viewer) : undefined;
  if (batch === undefined) return unknownBatch();
  const results = await findResults(database, batchId, query, listed);
  return isRefused(results) ? results : { status: 200, body: { ...(await viewOf(database, batch, listed)), imported_results: results } };
}

/** Tells whether a path names what can be a batch. */
export function isBatchId(text: string): boolean {
  return UUID.test(text);
}

/** Refusal of a batch that nobody knows, or that is another organisation's. */
export function unknownBatch(): Refused {
  return refuse('not_found', { detail: 'There is no population batch with this id.' });
}

async function viewOf(database: Database, batch: BatchCounts, listed: number) {
  const { shares } = batch;
  const identifiers = async (networkOperator: 'enedis' | 'grdf', part: 'imported' | 'pending' | 'errored') => {
    const isEmpty = !shares.some((share) => share.networkOperator === networkOperator && share[part] > 0);
    return isEmpty ? [] : listIdentifiers(database, batch.batchId, networkOperator, part, listed);
  };
  const plain = async (part: 'imported' | 'pending') => {
    const of = async (networkOperator: 'enedis' | 'grdf') => (await identifiers(networkOperator, part)).map(({ identifier }) => identifier);
    return { prm_ids: await of('enedis'), pce_ids: await of('grdf') };
  };
  const errored = async (networkOperator: 'enedis' | 'grdf') => (await identifiers(networkOperator, 'errored')).map(({ identifier, reason }) => ({ id: identifier, errored_reason: reason }));
  const setAside = async (networkOperator: 'enedis' | 'grdf') => (shares.some((share) => share.networkOperator === networkOperator && share.pending > 0) ? await listSetAside(database, batch.batchId, networkOperator, listed) : [])
    .map(({ identifier, tries, nextAttemptAt }) => ({ id: identifier, tries, next_attempt_at: nextAttemptAt.toISOString() }));
  const counts = { accepted: countsByList(shares, 'accepted'), imported: countsByList(shares, 'imported'), pending: countsByList(shares, 'pending'), errored: countsByList(shares, 'errored') };
  return {
    batch_id: batch.batchId,
    status: batch.status,
    import_suppliers: batch.importSuppliers,
    customer_category: batch.customerCategory,
    customer_authorisation: batch.customerAuthorisation,
    counts,
    rate_per_second: batch.status === 'IN_PROGRESS' ? ratePerSecond(shares) : 0,
    estimated_end: batch.status === 'IN_PROGRESS' ? (estimatedEnd(shares, Date.now())?.toISOString() ?? null) : null,
    created_at: batch.createdAt.toISOString(),
    ended_at: batch.endedAt?.toISOString() ?? null,
    imported_requests: await plain('imported'),
    pending_requests: await plain('pending'),
    set_aside_requests: { prms: await setAside('enedis'), pces: await setAside('grdf') },
    errored_requests: { prms: await errored('enedis'), pces: await errored('grdf') },
    // The lists are cut before the counts are: more of them with `?limit=`.
    truncated: [counts.imported, counts.pending, counts.errored].some(({ prm_ids: prms, pce_ids: pces }) => prms > listed || pces > listed),
    warnings: batch.warnings,
  };
}
