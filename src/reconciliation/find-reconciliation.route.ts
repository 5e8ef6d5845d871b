import { Type } from 'typebox';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import type { Queryable } from '../platform/database/prepared-query.ts';
import { readRoute, operatorRead, type Route } from '../platform/http/route.ts';
import { forOperators, type RouteOpenApi } from '../platform/http/route-openapi.ts';
import type { CurrentCertificateKeys } from './certificate-key.client.ts';
import { type Certificate, type ReconciliationView, certificateOf, viewOfReconciliation } from './certificate.rules.ts';
import { findValueHashes, readAccountDigests } from './account-digests.store.ts';
import { type AccountBalance, readBalances } from './balances.store.ts';
import { readDifferences } from './difference.store.ts';
import {
  type ReconciliationRecord,
  type ReconciliationViewer,
  findReconciliation,
  findTotals,
  listReconciliations,
} from './reconciliation.store.ts';
import {
  accountDigestView,
  accountValuesView,
  balanceView,
  certificateKeysView,
  differenceView,
  EXAMPLE_RECONCILIATION,
  reconciliationView,
  signedCertificate,
} from './reconciliation.schema.ts';
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

const PATH = '/v1/operations/reconciliations';

const DOCS = 'docs/suppliers/reconciliation.md';

/** What the resources of one reconciliation have in common. */
const ofReconciliation = {
  tag: 'Reconciliations',
  page: DOCS,
  path: {
    reconciliation: {
      description: 'The `reconciliation_id` from the response to its start.',
      example: EXAMPLE_RECONCILIATION,
    },
  },
  refusals: ['reconciliation_not_found'],
} as const;
const findOpenApi: RouteOpenApi = {
  ...ofReconciliation,
  operationId: 'findReconciliation',
  summary: 'Get the progress and counts of a reconciliation',
  replies: { 200: { description: 'The reconciliation.', schema: reconciliationView } },
};
const differencesOpenApi: RouteOpenApi = {
  ...ofReconciliation,
  operationId: 'listDifferences',
  summary: 'List differences',
  description: 'JSON lines, also while it runs. Values are not included; they are in the account.',
  replies: {
    200: { description: 'One JSON line per difference.', mediaType: 'application/x-ndjson', schema: differenceView },
  },
};
const balancesOpenApi: RouteOpenApi = {
  ...ofReconciliation,
  operationId: 'listBalances',
  summary: 'List the opening balances of the compared accounts',
  description:
    'JSON lines, in the order of the comparison: the sum of the transactions of each account now, to compare with the ledger of the source.',
  replies: {
    200: { description: 'One JSON line per account.', mediaType: 'application/x-ndjson', schema: balanceView },
  },
};
const accountsOpenApi: RouteOpenApi = {
  ...ofReconciliation,
  page: 'docs/suppliers/proof.md',
  operationId: 'listAccountDigests',
  summary: 'List the digest of each compared account',
  description:
    'JSON lines. `gangway verify-certificate --against` compares them with files, to name the accounts whose accepted data differs. All digests together are the sum of the digests of all fields in the certificate.',
  replies: {
    200: { description: 'One JSON line per account.', mediaType: 'application/x-ndjson', schema: accountDigestView },
  },
};
const valuesOpenApi: RouteOpenApi = {
  ...ofReconciliation,
  page: 'docs/suppliers/proof.md',
  path: { ...ofReconciliation.path, account: { description: 'Your number of the account.', example: 'HOME-00004711' } },
  operationId: 'findAccountValues',
  summary: 'Get a hash of each accepted value of an account',
  description: 'Compared with the values of a file, they name the paths that differ. Values are not included.',
  replies: { 200: { description: 'The hashes of its values.', schema: accountValuesView } },
  refusals: ['reconciliation_not_found', 'account_not_found'],
};
const certificateOpenApi: RouteOpenApi = {
  ...ofReconciliation,
  operationId: 'findCertificate',
  summary: 'Fetch the certificate of a reconciliation',
  description:
    'The compared data, with the sums of money and a hash of each field. `jws` is the signed form; `gangway verify-certificate` checks it without this service.',
  replies: { 200: { description: 'The certificate.', schema: signedCertificate } },
  refusals: ['reconciliation_not_found', 'reconciliation_not_completed'],
};

/** The resources of one reconciliation, by the end of the path. */
const RESOURCES = [
  { end: '', read: readReconciliation, openApi: findOpenApi },
  { end: '/differences', read: differences, openApi: differencesOpenApi, isLong: true },
  { end: '/balances', read: balances, openApi: balancesOpenApi, isLong: true },
  { end: '/accounts', read: accountDigests, openApi: accountsOpenApi, isLong: true },
  { end: '/certificate', read: readCertificate, openApi: certificateOpenApi },
] as const;

/**
 * `GET reconciliations/<id>/accounts/<number>/`, for suppliers only: hashes of short values can be guessed, and operators have a page of the
 * values, which records each reading.
 */
export function accountValuesRoute({ database, lists }: FindDeps): Route {
  const path = 'reconciliations/:reconciliation/accounts/:account';
  return readRoute('supplier', path, { openApi: valuesOpenApi }, async ({ params }, viewer) => {
    const record = await recordOf(database, params['reconciliation'] ?? '', viewer);
    if (isRefused(record)) return record;
    const external = params['account'] ?? '';
    // Postgres cannot store this character in text.
    const values = external.includes('\0') ? undefined : await findValueHashes(lists, record.importSupplier, external);
    if (values === undefined) return refuse('account_not_found');
    return { status: 200, body: { external_account_number: external, values } };
  });
}

/**
 * `GET reconciliations/<id>/`, its differences and its certificate. Responds to suppliers with 404 for reconciliations of other
 * organisations.
 */
export function reconciliationRoutes(deps: FindDeps, access: 'supplier' | 'operator'): Route[] {
  return RESOURCES.map(({ end, read, openApi: openApiOfSuppliers, ...more }) => {
    const openApi =
      access === 'supplier' ? openApiOfSuppliers : forOperators(openApiOfSuppliers, { page: `${DOCS}#for-operators` });
    return readRoute(
      access,
      `reconciliations/:reconciliation${end}`,
      { ...more, openApi },
      async ({ params }, viewer) => {
        const body = await read(deps, params['reconciliation'] ?? '', viewer);
        if (isRefused(body)) return body;
        return { status: 200, body, ...('isLong' in more && { mediaType: 'application/x-ndjson' }) };
      },
    );
  });
}

async function recordOf(
  on: Queryable,
  id: string,
  viewer: ReconciliationViewer | undefined,
): Promise<ReconciliationRecord | Refused> {
  const record = isUuid(id) ? await findReconciliation(on, id, viewer) : undefined;
  return record ?? refuse('reconciliation_not_found');
}

/** Reads a reconciliation. @param viewer undefined for operators, who read any */
export async function readReconciliation(
  { database, clock }: Pick<FindDeps, 'database' | 'clock'>,
  id: string,
  viewer?: ReconciliationViewer,
): Promise<ReconciliationView | Refused> {
  const record = await recordOf(database, id, viewer);
  if (isRefused(record)) return record;
  const totals = await findTotals(database, [record]);
  return viewOfReconciliation(record, totals.get(record.id), clock.now());
}

async function differences(
  { database, lists }: FindDeps,
  id: string,
  viewer?: ReconciliationViewer,
): Promise<AsyncGenerator<string> | Refused> {
  const record = await recordOf(database, id, viewer);
  return isRefused(record) ? record : linesOf(readDifferences(lists, record.id));
}

async function balances(
  deps: FindDeps,
  id: string,
  viewer?: ReconciliationViewer,
): Promise<AsyncGenerator<string> | Refused> {
  const pages = await readOpeningBalances(deps, id, viewer);
  return isRefused(pages) ? pages : linesOf(pages);
}

/** Reads the present balances of the accounts of a reconciliation, page by page. @param viewer undefined for operators, who read any */
export async function readOpeningBalances(
  { database, lists }: Pick<FindDeps, 'database' | 'lists'>,
  id: string,
  viewer?: ReconciliationViewer,
): Promise<AsyncGenerator<AccountBalance[]> | Refused> {
  const record = await recordOf(database, id, viewer);
  return isRefused(record) ? record : readBalances(lists, record);
}

async function accountDigests(
  { database, lists }: FindDeps,
  id: string,
  viewer?: ReconciliationViewer,
): Promise<AsyncGenerator<string> | Refused> {
  const record = await recordOf(database, id, viewer);
  return isRefused(record) ? record : linesOf(readAccountDigests(lists, record));
}

async function* linesOf(pages: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  for await (const page of pages) yield page.map((one) => `${JSON.stringify(one)}\n`).join('');
}

/** A certificate and its signed form (a compact JWS); null without a key. */
export interface SignedCertificate {
  certificate: Certificate;
  jws: string | null;
}

/** Reads the certificate of a reconciliation. @param viewer undefined for operators, who read any */
export async function readCertificate(
  { database, certificateKeys }: Pick<FindDeps, 'database' | 'certificateKeys'>,
  id: string,
  viewer?: ReconciliationViewer,
): Promise<SignedCertificate | Refused> {
  const record = await recordOf(database, id, viewer);
  if (isRefused(record)) return record;
  if (record.status !== 'COMPLETED') return refuse('reconciliation_not_completed');
  const content = certificateOf(record);
  const keys = await certificateKeys();
  return { certificate: content, jws: (await keys?.sign(content)) ?? null };
}

/** `GET certificate-keys/`: the public keys of certificates, as a JSON Web Key Set. Public. */
export const listCertificateKeys = ({ certificateKeys }: Pick<FindDeps, 'certificateKeys'>): Route => ({
  method: 'GET',
  path: '/v1/data-import/certificate-keys',
  access: 'public',
  openApi: {
    operationId: 'listCertificateKeys',
    tag: 'Reconciliations',
    summary: 'Fetch the public keys of certificates',
    description: 'A JSON Web Key Set; empty if the service has no signing key. Keep it apart from certificates.',
    page: DOCS,
    replies: { 200: { description: 'The keys.', schema: certificateKeysView } },
    // It uses neither the database nor Temporal.
    neverAnswers: ['error', 'service_unavailable'],
  },
  handle: async () => ({ status: 200, body: { keys: (await certificateKeys())?.publicKeys ?? [] } }),
});

const PAGE_SIZE = 50;

const listOpenApi: RouteOpenApi = {
  operationId: 'listReconciliationsForOperator',
  summary: 'List reconciliations of all import suppliers and organizations',
  description:
    'Newest first, 50 per page; the header Link leads to the next page. A filter by import supplier scans the 5,000 newest.',
  page: `${DOCS}#for-operators`,
  query: {
    import_supplier: { description: 'Only reconciliations of this import supplier.', example: 'SUPPLIER_FR' },
    before: { description: 'The last `reconciliation_id` of the previous page.', example: EXAMPLE_RECONCILIATION },
  },
  replies: {
    200: { description: 'A page of reconciliations.', schema: Type.Array(reconciliationView), hasLink: true },
  },
};

/** `GET reconciliations/` for operators: the reconciliations of all import suppliers, newest first. */
export const listReconciliationsForOperator = (deps: Pick<FindDeps, 'database' | 'clock'>): Route =>
  operatorRead({
    path: PATH,
    openApi: listOpenApi,
    handle: async ({ query }) => {
      const [supplier, before] = [query.get('import_supplier') || undefined, query.get('before') || undefined];
      const page = await readReconciliations(deps, { importSupplier: supplier, before, limit: PAGE_SIZE });
      if (isRefused(page)) return page;
      const { next } = page;
      const further = new URLSearchParams({
        ...(supplier && { import_supplier: supplier }),
        ...(next && { before: next }),
      });
      const headers: Record<string, string> = next === undefined ? {} : { link: `<${PATH}/?${further}>; rel="next"` };
      return { status: 200, body: page.reconciliations, headers };
    },
  });

/** A page of reconciliations, and the id after which the next page starts, if there is one. */
export interface ReconciliationPage {
  reconciliations: ReconciliationView[];
  next: string | undefined;
}

/** Reads a page, newest first. @param viewer undefined for operators, who read any @returns a refusal if `before` is malformed */
export async function readReconciliations(
  { database, clock }: Pick<FindDeps, 'database' | 'clock'>,
  wanted: { importSupplier: string | undefined; before: string | undefined; limit: number },
  viewer?: ReconciliationViewer,
): Promise<ReconciliationPage | Refused> {
  const { importSupplier, before, limit } = wanted;
  if (before !== undefined && !isUuid(before)) {
    const detail = 'Send the last reconciliation_id of the previous page.';
    return refuse('validation_failed', { violations: [violation('invalid', ['before'], detail)] });
  }
  // Postgres cannot store this character in text, so no supplier has this code.
  if (importSupplier?.includes('\0')) return { reconciliations: [], next: undefined };
  const found = await listReconciliations(database, importSupplier, before, limit + 1, viewer);
  const shown = found.slice(0, limit);
  const totals = await findTotals(database, shown);
  return {
    reconciliations: shown.map((record) => viewOfReconciliation(record, totals.get(record.id), clock.now())),
    next: found.length > limit ? shown.at(-1)?.id : undefined,
  };
}
