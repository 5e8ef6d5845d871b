import { Readable } from 'node:stream';
import { workflowIds } from '../../temporal.config.ts';
import type { Database } from '../platform/database/database.ts';
import type { Queryable } from '../platform/database/prepared-query.ts';
import type { AuthenticatedRequest, Reply, Route } from '../platform/http/route.ts';
import { isUuid } from '../vocabulary/wire-forms.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import type { CurrentCertificateKeys } from './certificate-key.client.ts';
import { vendorsTold } from './asked-instructions.rules.ts';
import { certificateOf, pairsOf } from './certificate.rules.ts';
import { readDifferences } from './difference.store.ts';
import { findReconciliation, type ReconciliationRecord, type ReconciliationViewer } from './reconciliation.store.ts';
import { findCertificateOpenApi } from './certificates.openapi.ts';
import { findReconciliationOpenApi, listDifferencesOpenApi } from './reconciliations.openapi.ts';

interface FindDeps {
  database: Database;
  /** Database of the list pool, so that long lists cannot take the connections of requests. */
  lists: Database;
  certificateKeys: CurrentCertificateKeys;
}

type Answer = (deps: FindDeps, record: ReconciliationRecord) => Promise<Reply | Refused> | Reply | Refused;

/** What is asked of one reconciliation, by the end of its path. */
const QUESTIONS = [
  {
    end: '',
    answer: (_deps: FindDeps, record: ReconciliationRecord) => view(record),
    openApi: findReconciliationOpenApi,
  },
  { end: '/differences', answer: differences, openApi: listDifferencesOpenApi },
  { end: '/certificate', answer: certificate, openApi: findCertificateOpenApi },
] as const;

/** `GET reconciliations/<id>/`, its differences and its certificate. One of another organisation looks like none. */
export function reconciliationRoutes(deps: FindDeps): Route[] {
  return QUESTIONS.map(({ end, answer, openApi }) => ({
    method: 'GET',
    path: `/v1/data-import/reconciliations/:reconciliation${end}`,
    access: 'supplier',
    openApi: openApi('Reconciliations'),
    handle: (request) => ask(deps, request, request.caller, answer),
  }));
}

/** The same for operators, of any reconciliation. */
export function reconciliationRoutesForOperator(deps: FindDeps): Route[] {
  return QUESTIONS.map(({ end, answer, openApi }) => ({
    method: 'GET',
    path: `/v1/operations/reconciliations/:reconciliation${end}`,
    access: 'operator',
    action: 'look',
    openApi: openApi('Operations'),
    handle: (request) => ask(deps, request, undefined, answer),
  }));
}

async function ask(
  deps: FindDeps,
  { params }: AuthenticatedRequest,
  viewer: ReconciliationViewer | undefined,
  answer: Answer,
): Promise<Reply | Refused> {
  const record = await recordOf(deps.database, params['reconciliation'] ?? '', viewer);
  return isRefused(record) ? record : answer(deps, record);
}

async function recordOf(
  on: Queryable,
  id: string,
  viewer: ReconciliationViewer | undefined,
): Promise<ReconciliationRecord | Refused> {
  const record = isUuid(id) ? await findReconciliation(on, id, viewer) : undefined;
  return record ?? refuse('reconciliation_not_found');
}

function view({
  id,
  importSupplier,
  importJobId,
  status,
  tally,
  listed,
  createdAt,
  endedAt,
}: ReconciliationRecord): Reply {
  const { hashes: _hashes, vendors: _vendors, asking: _asking, sums, ...counts } = tally;
  const body = {
    reconciliation_id: id,
    import_supplier: importSupplier,
    job_id: importJobId,
    status,
    counts: { without_copy: 0, by_hashes: 0, ...counts, differences_listed: listed },
    payment_vendors: vendorsTold(tally),
    sums: pairsOf(sums),
    workflow_id: workflowIds.reconcile(id),
    created_at: createdAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
  };
  return { status: 200, body };
}

/** The first are read before anything is sent, so that a database that is away is still answered 503. */
async function differences({ lists }: FindDeps, { id }: ReconciliationRecord): Promise<Reply> {
  const pages = readDifferences(lists, id);
  const first = await pages.next();
  return {
    status: 200,
    mediaType: 'application/x-ndjson',
    body: Readable.from(lines(first, pages), { objectMode: false }),
  };
}

async function* lines(
  first: IteratorResult<readonly object[]>,
  rest: AsyncIterable<readonly object[]>,
): AsyncGenerator<Buffer> {
  if (first.done) return;
  const write = (page: readonly object[]) => Buffer.from(page.map((one) => `${JSON.stringify(one)}\n`).join(''));
  yield write(first.value);
  for await (const page of rest) yield write(page);
}

async function certificate({ certificateKeys }: FindDeps, record: ReconciliationRecord): Promise<Reply | Refused> {
  if (record.status !== 'COMPLETED') return refuse('reconciliation_not_completed');
  const content = certificateOf(record);
  const keys = await certificateKeys();
  return { status: 200, body: { certificate: content, jws: (await keys?.sign(content)) ?? null } };
}
