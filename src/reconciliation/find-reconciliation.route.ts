import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import type { Queryable } from '../platform/database/prepared-query.ts';
import type { AuthenticatedRequest, Reply, Route } from '../platform/http/route.ts';
import { isUuid } from '../vocabulary/wire-forms.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import type { CurrentCertificateKeys } from './certificate-key.client.ts';
import { certificateOf, type Certificate } from './certificate.rules.ts';
import { readDifferences } from './difference.store.ts';
import { findReconciliation, type ReconciliationRecord, type ReconciliationViewer } from './reconciliation.store.ts';
import { viewOfReconciliation, type ReconciliationView } from './reconciliation-view.rules.ts';
import { findTotals } from './totals.store.ts';
import { findCertificateOpenApi } from './certificates.openapi.ts';
import { findReconciliationOpenApi, listDifferencesOpenApi } from './reconciliations.openapi.ts';

interface FindDeps {
  clock: Clock;
  database: Database;
  /** Database of the list pool, so that long lists cannot take the connections of requests. */
  lists: Database;
  certificateKeys: CurrentCertificateKeys;
}

type Answer = (deps: FindDeps, record: ReconciliationRecord) => Promise<Reply | Refused> | Reply | Refused;

/** What is asked of one reconciliation, by the end of its path. */
const QUESTIONS = [
  { end: '', answer: standing, openApi: findReconciliationOpenApi, isLong: undefined },
  { end: '/differences', answer: differences, openApi: listDifferencesOpenApi, isLong: true },
  { end: '/certificate', answer: certificate, openApi: findCertificateOpenApi, isLong: undefined },
] as const;

/** `GET reconciliations/<id>/`, its differences and its certificate. One of another organisation looks like none. */
export function reconciliationRoutes(deps: FindDeps): Route[] {
  return QUESTIONS.map(({ end, answer, openApi, isLong }) => ({
    ...(isLong ? { isLong } : {}),
    method: 'GET',
    path: `/v1/data-import/reconciliations/:reconciliation${end}`,
    access: 'supplier',
    openApi: openApi('Reconciliations'),
    handle: (request) => ask(deps, request, request.caller, answer),
  }));
}

/** The same for operators, of any reconciliation. */
export function reconciliationRoutesForOperator(deps: FindDeps): Route[] {
  return QUESTIONS.map(({ end, answer, openApi, isLong }) => ({
    ...(isLong ? { isLong } : {}),
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

async function standing(deps: FindDeps, record: ReconciliationRecord): Promise<Reply> {
  return { status: 200, body: await view(deps, record) };
}

async function view(
  { database, clock }: Pick<FindDeps, 'database' | 'clock'>,
  record: ReconciliationRecord,
): Promise<ReconciliationView> {
  const totals = await findTotals(database, [record]);
  return viewOfReconciliation(record, totals.get(record.id), clock.now());
}

/** Any reconciliation, as operators see it. */
export async function readReconciliation(
  deps: Pick<FindDeps, 'database' | 'clock'>,
  id: string,
): Promise<ReconciliationView | Refused> {
  const record = await recordOf(deps.database, id, undefined);
  return isRefused(record) ? record : view(deps, record);
}

function differences({ lists }: FindDeps, { id }: ReconciliationRecord): Reply {
  return { status: 200, mediaType: 'application/x-ndjson', body: linesOf(readDifferences(lists, id)) };
}

async function* linesOf(pages: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  for await (const page of pages) yield page.map((one) => `${JSON.stringify(one)}\n`).join('');
}

async function certificate(deps: FindDeps, record: ReconciliationRecord): Promise<Reply | Refused> {
  const signed = await signedCertificate(deps, record);
  return isRefused(signed) ? signed : { status: 200, body: signed };
}

/** A certificate, and the same signed: a JWS in its compact form; null where there is no key. */
export interface SignedCertificate {
  certificate: Certificate;
  jws: string | null;
}

async function signedCertificate(
  { certificateKeys }: Pick<FindDeps, 'certificateKeys'>,
  record: ReconciliationRecord,
): Promise<SignedCertificate | Refused> {
  if (record.status !== 'COMPLETED') return refuse('reconciliation_not_completed');
  const content = certificateOf(record);
  const keys = await certificateKeys();
  return { certificate: content, jws: (await keys?.sign(content)) ?? null };
}

/** The certificate of any reconciliation, as operators fetch it. */
export async function readCertificate(
  deps: Pick<FindDeps, 'database' | 'certificateKeys'>,
  id: string,
): Promise<SignedCertificate | Refused> {
  const record = await recordOf(deps.database, id, undefined);
  return isRefused(record) ? record : signedCertificate(deps, record);
}
