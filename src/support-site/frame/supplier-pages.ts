import { findKeysOfViewer } from '../../access/index.ts';
import { readEndpoint } from '../../events/index.ts';
import { findJobOfRequest } from '../../import-jobs/index.ts';
import type { Viewer } from '../../platform/http/route.ts';
import { readReconciliation } from '../../reconciliation/index.ts';
import type { SupplierDirectory } from '../../suppliers/index.ts';
import { findWaveOfRequest } from '../../waves/index.ts';
import { readWithdrawal } from '../../withdrawal/index.ts';
import { isRefused, refuse } from '../../vocabulary/refusals.ts';
import { PageRefusal, type Page, type PageRequest } from './page.ts';
import { CAUSES, CERTIFICATES, EVENTS, FEED, FIND, LIST_VIEW, PALETTE, SUPPLIERS, WAVES } from './paths.ts';

/** A request of a person of import suppliers. */
export type SupplierRequest = PageRequest & { viewer: Viewer };

/** Whether a request is for something that belongs to the import suppliers of the person. */
type IsOwn = (request: SupplierRequest) => boolean | Promise<boolean>;

/** Lists of one import supplier: the one in the query, or the first of the person. */
const inQuery: IsOwn = ({ query, viewer: { importSuppliers } }) => {
  const wanted = query.get('import_supplier') || [...importSuppliers].toSorted()[0]!;
  query.set('import_supplier', wanted);
  return importSuppliers.has(wanted);
};

/** Lists that show only what belongs to `request.viewer`: of all import suppliers of the person, unless the query names one of them. */
const inViewer: IsOwn = (request) => {
  const { query, viewer } = request;
  if (viewer.importSuppliers.size === 1 || query.get('import_supplier')) return inQuery(request);
  query.delete('import_supplier');
  return true;
};

/** Pages of a path that names the import supplier. */
const inPath =
  (name: string): IsOwn =>
  ({ params, viewer }) =>
    viewer.importSuppliers.has(params[name] ?? '');

/** Pages that show by themselves only what belongs to `request.viewer`. */
const ofPage: IsOwn = () => true;

const ofWave: IsOwn = async (request) => !isRefused(await findWaveOfRequest(request.database, request, request.viewer));
const ofJob: IsOwn = async (request) => !isRefused(await findJobOfRequest(request.database, request, request.viewer));
const ofReconciliation: IsOwn = async (request) =>
  !isRefused(await readReconciliation(request, request.params['reconciliation'] ?? '', request.viewer));
const ofWithdrawal: IsOwn = async ({ database, params, viewer }) =>
  !isRefused(await readWithdrawal(database, params['withdrawal'] ?? '', viewer));
const ofEndpoint: IsOwn = async (request) =>
  !isRefused(await readEndpoint(request, request.params['endpoint'] ?? '', request.viewer));
const ofKey: IsOwn = async ({ database, params, viewer }) =>
  (await findKeysOfViewer(database.em(), viewer)).some(({ id }) => id === params['id']);

/** The pages and forms that people of import suppliers have. All others do not exist for them. */
const PAGES: ReadonlyMap<string, IsOwn> = new Map(
  Object.entries({
    [`GET ${WAVES}`]: inViewer,
    [`GET ${WAVES}.csv`]: inViewer,
    [`GET ${WAVES}/list`]: inViewer,
    [`GET ${WAVES}/open`]: inViewer,
    [`GET ${WAVES}/new`]: ofPage,
    [`POST ${WAVES}/new`]: ofPage,
    [`GET ${WAVES}/:wave`]: ofWave,
    [`GET ${WAVES}/:wave/progress`]: ofWave,
    [`GET ${WAVES}/:wave/changed`]: ofWave,
    [`GET ${WAVES}/:wave/early-starts`]: ofWave,
    [`GET ${SUPPLIERS}`]: ofPage,
    [`GET ${SUPPLIERS}/:code`]: inPath('code'),
    'GET /jobs': inViewer,
    'GET /jobs.csv': inViewer,
    'GET /jobs/list': inViewer,
    'GET /jobs/new': ofPage,
    'POST /jobs/new': ofPage,
    'GET /jobs/:job': ofJob,
    'GET /jobs/:job/progress': ofJob,
    'GET /jobs/:job/causes': ofJob,
    'GET /jobs/:job/records/succeeded': ofJob,
    'GET /jobs/:job/records/succeeded.csv': ofJob,
    'GET /jobs/:job/records/failed': ofJob,
    'GET /jobs/:job/records/failed.csv': ofJob,
    'GET /jobs/:job/missing': ofJob,
    'GET /jobs/:job/results/:outcome': ofJob,
    'POST /jobs/:job/parts/:part': ofJob,
    'POST /jobs/:job/start': ofJob,
    'POST /jobs/:job/pause': ofJob,
    'POST /jobs/:job/resume': ofJob,
    'POST /jobs/:job/cancel': ofJob,
    [`GET ${CAUSES}`]: inViewer,
    [`GET ${CAUSES}/:supplier`]: inPath('supplier'),
    [`GET ${CAUSES}/:supplier/counted`]: inPath('supplier'),
    'GET /withdrawals/:withdrawal': ofWithdrawal,
    'GET /withdrawals/:withdrawal/kept': ofWithdrawal,
    'GET /withdrawals/:withdrawal/businesses': ofWithdrawal,
    'GET /withdrawals/:withdrawal/progress': ofWithdrawal,
    [`GET ${CERTIFICATES}`]: inViewer,
    [`GET ${CERTIFICATES}.csv`]: inViewer,
    [`GET ${CERTIFICATES}/list`]: inViewer,
    [`GET ${CERTIFICATES}/:reconciliation`]: ofReconciliation,
    [`GET ${CERTIFICATES}/:reconciliation/progress`]: ofReconciliation,
    [`GET ${CERTIFICATES}/:reconciliation/differences`]: ofReconciliation,
    [`GET ${CERTIFICATES}/:reconciliation/differences.csv`]: ofReconciliation,
    [`GET ${CERTIFICATES}/:reconciliation/file`]: ofReconciliation,
    [`GET ${CERTIFICATES}/:reconciliation/balances.csv`]: ofReconciliation,
    [`GET ${FIND}`]: ofPage,
    [`POST ${FIND}`]: ofPage,
    [`POST ${PALETTE}`]: ofPage,
    [`POST ${LIST_VIEW}`]: ofPage,
    'GET /accounts': inQuery,
    'GET /accounts.csv': inQuery,
    'GET /accounts/:supplier/:external': inPath('supplier'),
    [`GET ${EVENTS}`]: inViewer,
    [`GET ${EVENTS}.csv`]: inViewer,
    [`GET ${FEED}`]: inQuery,
    [`GET ${FEED}.csv`]: inQuery,
    [`GET ${EVENTS}/endpoints/:endpoint`]: ofEndpoint,
    'GET /settings/keys': ofPage,
    'POST /settings/keys/:id/revoke': ofKey,
  }),
);

type Address = Pick<Page, 'method' | 'path'>;

/** Whether people of import suppliers have a page. */
export function isForSuppliers({ method, path }: Address): boolean {
  return PAGES.has(`${method} ${path}`);
}

/** Ends a request for a page that the person does not have, or for something that is not theirs. @throws PageRefusal 404, the same for both */
export async function requireOwn(page: Address, request: SupplierRequest): Promise<void> {
  const isOwn = PAGES.get(`${page.method} ${page.path}`);
  if (isOwn !== undefined && (await isOwn(request))) return;
  throw new PageRefusal(refuse('not_found', { detail: 'This page does not exist.' }));
}

/** The import suppliers of a person, as the directory of all. */
export function ownSuppliers(suppliers: SupplierDirectory, { importSuppliers }: Viewer): SupplierDirectory {
  return {
    ...suppliers,
    find: (code) => (importSuppliers.has(code) ? suppliers.find(code) : undefined),
    all: async () => new Map([...(await suppliers.all())].filter(([code]) => importSuppliers.has(code))),
  };
}
