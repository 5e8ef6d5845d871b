import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import type { Queryable } from '../platform/database/prepared-query.ts';
import type { AuthenticatedRequest, Reply, Route } from '../platform/http/route.ts';
import type { CurrentCertificateKeys } from './certificate-key.client.ts';
import { type Certificate, type ReconciliationView, certificateOf, viewOfReconciliation } from './certificate.rules.ts';
import { findCertificateOpenApi } from './certificates.openapi.ts';
import { readDifferences } from './difference.store.ts';
import {
  type ReconciliationRecord,
  type ReconciliationViewer,
  findReconciliation,
  findTotals,
  listReconciliations,
} from './reconciliation.store.ts';
import {
  findReconciliationOpenApi,
  listDifferencesOpenApi,
  listReconciliationsOpenApi,
} from './reconciliations.openapi.ts';
import { type Refused, isRefused, refuse } from '../vocabulary/refusals.ts';
import { violation } from '../vocabulary/violations.ts';
import { isUuid } from '../vocabulary/wire-forms.ts';

interface FindDeps {
  clock: Clock;
  database: Database;
  /** Database of the list pool, so that long lists do not use the connections of requests. */
  lists: Database;
  certificateKeys: CurrentCertificateKeys;
}

type Answer = (deps: FindDeps, record: ReconciliationRecord) => Promise<Reply | Refused> | Reply | Refused;

/** The resources of one reconciliation, by the end of the path. */
const QUESTIONS = [
  { end: '', answer: standing, openApi: findReconciliationOpenApi, isLong: undefined },
  { end: '/differences', answer: differences, openApi: listDifferencesOpenApi, isLong: true },
  { end: '/certificate', answer: certificate, openApi: findCertificateOpenApi, isLong: undefined },
] as const;

/** `GET reconciliations/<id>/`, its differences and its certificate. Responds 404 for reconciliations of other organisations. */
export function reconciliationRoutes(deps: FindDeps): Route[] {
  return QUESTIONS.map(({ end, answer, openApi, isLong }) => ({
    ...(isLong ? { isLong } : {}),
    method: 'GET',
    path: `/v1/data-import/reconciliations/:reconciliation${end}`,
    access: 'supplier',
    openApi: openApi('Reconciliations'),
    handle: (request) => answerReconciliation(deps, request, request.caller, answer),
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
    handle: (request) => answerReconciliation(deps, request, undefined, answer),
  }));
}

async function answerReconciliation(
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

/** Reads any reconciliation, for operators. */
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

/** A certificate and its signed form (a compact JWS); null without a key. */
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

/** Reads the certificate of any reconciliation, for operators. */
export async function readCertificate(
  deps: Pick<FindDeps, 'database' | 'certificateKeys'>,
  id: string,
): Promise<SignedCertificate | Refused> {
  const record = await recordOf(deps.database, id, undefined);
  return isRefused(record) ? record : signedCertificate(deps, record);
}

const PATH = '/v1/operations/reconciliations';
const PAGE_SIZE = 50;

interface ListDeps {
  database: Database;
  clock: Clock;
}

/** `GET reconciliations/` for operators: the reconciliations of all import suppliers, newest first. */
export const listReconciliationsForOperator = (deps: ListDeps): Route => ({
  method: 'GET',
  path: PATH,
  access: 'operator',
  action: 'look',
  openApi: listReconciliationsOpenApi,
  handle: async ({ query }) => {
    const page = await readReconciliations(deps, query);
    if (isRefused(page)) return page;
    const headers: Record<string, string> =
      page.next === undefined ? {} : { link: `<${PATH}/?${page.next}>; rel="next"` };
    return { status: 200, body: page.reconciliations, headers };
  },
});

/** A page of reconciliations, and the query of the next page, if there is one. */
export interface ReconciliationPage {
  reconciliations: ReconciliationView[];
  next: URLSearchParams | undefined;
}

/** Reads a page by a query: `import_supplier` and `before`. @returns a refusal if `before` is malformed */
export async function readReconciliations(
  { database, clock }: ListDeps,
  query: URLSearchParams,
): Promise<ReconciliationPage | Refused> {
  const supplier = query.get('import_supplier') || undefined;
  const before = query.get('before') || undefined;
  if (before !== undefined && !isUuid(before)) {
    const detail = 'Send the last reconciliation_id of the previous page.';
    return refuse('validation_failed', { violations: [violation('invalid', ['before'], detail)] });
  }
  // Postgres cannot store this character in text, so no supplier has this code.
  if (supplier?.includes('\0')) return { reconciliations: [], next: undefined };
  const found = await listReconciliations(database, supplier, before, PAGE_SIZE + 1);
  const shown = found.slice(0, PAGE_SIZE);
  const totals = await findTotals(database, shown);
  const last = found.length > PAGE_SIZE ? shown.at(-1) : undefined;
  return {
    reconciliations: shown.map((record) => viewOfReconciliation(record, totals.get(record.id), clock.now())),
    next: last && new URLSearchParams({ ...(supplier && { import_supplier: supplier }), before: last.id }),
  };
}
