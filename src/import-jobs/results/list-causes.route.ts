import { findStagedCauses } from '../../account-import/index.ts';
import type { Database } from '../../platform/database/database.ts';
import { readFlag } from '../../platform/http/query-parameters.ts';
import type { AuthenticatedRequest, Reply, Route } from '../../platform/http/route.ts';
import type { SupplierDirectory } from '../../suppliers/index.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { listCausesOpenApi, listStagedCausesOpenApi } from './results.openapi.ts';
import { causeView } from './cause.rules.ts';
import type { CauseView } from './results.schema.ts';
import { findJobOfRequest, type JobViewer } from '../import-job.store.ts';
import { findCauses } from './import-job-cause.store.ts';

/** `GET import-jobs/<job>/causes/`: the errors and warnings of a job, counted by cause. */
export const listImportJobCauses = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/data-import/import-jobs/:job/causes',
  access: 'supplier',
  isLong: true,
  openApi: listCausesOpenApi('listImportJobCauses', 'Import jobs'),
  handle: (request) => listCauses(deps, request, request.caller),
});

/** The same for operators, of any job. */
export const listImportJobCausesForOperator = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/import-jobs/:job/causes',
  access: 'operator',
  action: 'look',
  isLong: true,
  openApi: listCausesOpenApi('listImportJobCausesForOperator', 'Operations'),
  handle: (request) => listCauses(deps, request, undefined),
});

async function listCauses(
  { database }: { database: Database },
  request: AuthenticatedRequest,
  viewer: JobViewer | undefined,
): Promise<Reply | Refused> {
  const onlyBlocking = readOnlyBlocking(request.query);
  if (isRefused(onlyBlocking)) return onlyBlocking;
  const job = await findJobOfRequest(database, request, viewer);
  if (isRefused(job)) return job;
  return { status: 200, body: { causes: await findCauses(database, job.id, { onlyBlocking }) } };
}

interface StagedCausesDeps {
  /** Database of the list pool: a query over a million accounts takes seconds. */
  lists: Database;
  suppliers: SupplierDirectory;
}

/** `GET causes/<import supplier>/`: why staged accounts cannot be created. */
export const listStagedCauses = (deps: StagedCausesDeps): Route => ({
  method: 'GET',
  path: '/v1/data-import/causes/:supplier',
  access: 'supplier',
  isLong: true,
  openApi: listStagedCausesOpenApi('listStagedCauses', 'Import jobs'),
  handle: async (request) => {
    const { params, caller } = request;
    return caller.importSuppliers.has(params['supplier'] ?? '') ? stagedCauses(deps, request) : noSupplier();
  },
});

/** The same for operators, of any import supplier. */
export const listStagedCausesForOperator = (deps: StagedCausesDeps): Route => ({
  method: 'GET',
  path: '/v1/operations/causes/:supplier',
  access: 'operator',
  action: 'look',
  isLong: true,
  openApi: listStagedCausesOpenApi('listStagedCausesForOperator', 'Operations'),
  handle: (request) => stagedCauses(deps, request),
});

function noSupplier(): Refused {
  return refuse('not_found', { detail: 'There is no import supplier with this code.' });
}

async function stagedCauses(deps: StagedCausesDeps, { params }: AuthenticatedRequest): Promise<Reply | Refused> {
  const causes = await readStagedCauses(deps, params['supplier'] ?? '');
  return isRefused(causes) ? causes : { status: 200, body: { causes } };
}

/** Lists why staged accounts of an import supplier cannot be created, the most frequent cause first. A million accounts take seconds. */
export async function readStagedCauses(deps: StagedCausesDeps, code: string): Promise<CauseView[] | Refused> {
  const supplier = await deps.suppliers.find(code);
  if (supplier === undefined) return noSupplier();
  const causes = await deps.lists.transaction((em) => findStagedCauses(em, supplier.code));
  return causes.map(({ externalAccountNumber, ...cause }) => {
    const view = causeView({ ...cause, isWarning: false, exampleLine: null, exampleValue: null });
    return { ...view, example: { ...view.example, external_account_number: externalAccountNumber } };
  });
}

function readOnlyBlocking(query: URLSearchParams): boolean | Refused {
  const value = readFlag(query, 'only_blocking', false);
  return typeof value === 'boolean' ? value : refuse('validation_failed', { violations: [value] });
}
