import type { Database } from '../../platform/database/database.ts';
import type { AuthenticatedRequest, Caller, Reply, Route } from '../../platform/http/route.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { violation } from '../../vocabulary/violations.ts';
import {
  countsByList,
  estimatedEnd,
  isBatchId,
  ratePerSecond,
  unknownBatch,
} from '../populate/population-batch.rules.ts';
import { listsOf, type BatchList } from './batch-pages.store.ts';
import { createTurns, type Turns } from '../../platform/turns.ts';
import { findBatchCounts, type BatchCounts } from '../populate/population-batch.store.ts';
import { findResults } from '../lookup/lookup-result.store.ts';
import { findBatchOpenApi, findBatchForOperatorOpenApi } from './find-population-batch.openapi.ts';

const LISTED = 100;
const LISTED_MAX = 100_000;
/** Small responses of one organisation in progress: each queries the database several times, and more would take all connections. */
const SMALL_LISTS = { atOnce: 3, waitMs: 30_000, waitingMax: 1_000, heldMs: 60_000 } as const;
const RETRY_SECONDS = 5;

interface BatchDeps {
  database: Database;
  /** Database of the list pool, so that long lists cannot take the connections of requests. */
  lists: Database;
}

/** `GET supply-point/populate/<batch_id>/`: how far a batch is. A batch of another organisation, or of an import supplier that the key has not, looks like none. */
export function findPopulationBatch(deps: BatchDeps): Route {
  const turns = createTurns(SMALL_LISTS);
  return {
    method: 'GET',
    path: '/v1/data-import/supply-point/populate/:batch',
    access: 'supplier',
    openApi: findBatchOpenApi,
    isLong: isLarge,
    handle: (request) => answer(deps, turns, request, request.caller.role === 'operator' ? undefined : request.caller),
  };
}

/** `GET population-batches/<batch_id>/`: the same for operators. */
export function findPopulationBatchForOperator(deps: BatchDeps): Route {
  const turns = createTurns(SMALL_LISTS);
  return {
    method: 'GET',
    path: '/v1/operations/population-batches/:batch',
    access: 'operator',
    action: 'look',
    openApi: findBatchForOperatorOpenApi,
    isLong: isLarge,
    handle: (request) => answer(deps, turns, request, undefined),
  };
}

async function answer(
  { database, lists }: BatchDeps,
  turns: Turns,
  request: AuthenticatedRequest,
  viewer: Caller | undefined,
): Promise<Reply | Refused> {
  const limit = request.query.get('limit');
  const listed = limit === null ? LISTED : Number(limit);
  if (!/^\d{1,6}$/.test(limit ?? '1') || listed > LISTED_MAX) {
    return refuse('validation_failed', {
      violations: [violation('invalid', ['limit'], `A whole number from 0 to ${LISTED_MAX} is expected.`)],
    });
  }
  if (isLarge(request.query)) {
    const found = await find(lists, request, viewer, listed);
    return isRefused(found) ? found : { status: 200, body: piecesOf(found) };
  }
  const giveBack = await turns.take(request.caller.organisation, request.hungUp());
  if (giveBack === undefined) return tooMany();
  try {
    const found = await find(database, request, viewer, listed);
    return isRefused(found) ? found : { status: 200, body: await wholeBody(found) };
  } finally {
    giveBack();
  }
}

function isLarge(query: URLSearchParams): boolean {
  return Number(query.get('limit')) > LISTED;
}

function tooMany(): Refused {
  return refuse('throttled', {
    detail: 'Your organisation has too many status requests in progress. Retry after the time in Retry-After.',
    retryAfterSeconds: RETRY_SECONDS,
  });
}

interface FoundBatch {
  head: object;
  lists: BatchList[];
}

async function find(
  database: Database,
  { params, query }: AuthenticatedRequest,
  viewer: Caller | undefined,
  listed: number,
): Promise<FoundBatch | Refused> {
  const batchId = params['batch'] ?? '';
  const batch = isBatchId(batchId) ? await findBatchCounts(database, batchId, viewer) : undefined;
  if (batch === undefined) return unknownBatch();
  const results = await findResults(database, batchId, query, listed);
  return isRefused(results)
    ? results
    : { head: { ...headOf(batch, listed), imported_results: results }, lists: listsOf(database, batch, listed) };
}

async function wholeBody({ head, lists }: FoundBatch): Promise<object> {
  const body: Record<string, Record<string, unknown[]>> = {};
  for (const { member, name, pages } of lists) {
    const items: unknown[] = [];
    for await (const page of pages()) items.push(...page);
    body[member] = { ...body[member], [name]: items };
  }
  return { ...head, ...body };
}

async function* piecesOf({ head, lists }: FoundBatch): AsyncGenerator<string> {
  let text = JSON.stringify(head).slice(0, -1);
  let open: string | undefined;
  for (const { member, name, pages } of lists) {
    text += member === open ? ',' : `${open === undefined ? '' : '}'},"${member}":{`;
    open = member;
    text += `"${name}":[`;
    let isFirst = true;
    for await (const page of pages()) {
      yield `${text}${isFirst ? '' : ','}${JSON.stringify(page).slice(1, -1)}`;
      text = '';
      isFirst = false;
    }
    text += ']';
  }
  yield `${text}}}`;
}

function headOf(batch: BatchCounts, listed: number) {
  const { operatorProgress } = batch;
  const counts = {
    accepted: countsByList(operatorProgress, 'accepted'),
    imported: countsByList(operatorProgress, 'imported'),
    pending: countsByList(operatorProgress, 'pending'),
    errored: countsByList(operatorProgress, 'errored'),
  };
  return {
    batch_id: batch.batchId,
    status: batch.status,
    import_suppliers: batch.importSuppliers,
    customer_category: batch.customerCategory,
    customer_authorisation: batch.customerAuthorisation,
    counts,
    rate_per_second: batch.status === 'IN_PROGRESS' ? ratePerSecond(operatorProgress) : 0,
    estimated_end:
      batch.status === 'IN_PROGRESS' ? (estimatedEnd(operatorProgress, Date.now())?.toISOString() ?? null) : null,
    created_at: batch.createdAt.toISOString(),
    ended_at: batch.endedAt?.toISOString() ?? null,
    // The lists are cut before the counts are: more of them with `?limit=`.
    truncated: [counts.imported, counts.pending, counts.errored].some(
      ({ prm_ids: prms, pce_ids: pces }) => prms > listed || pces > listed,
    ),
    warnings: batch.warnings,
  };
}
