import { accountKeyPath } from '../../accounts/account-key.schema.ts';
import { findStagedCauses } from '../../account-import/index.ts';
import type { Database } from '../../platform/database/database.ts';
import { flagParameter, readFlag } from '../../platform/http/query-parameters.ts';
import { readRoute, type AuthenticatedRequest, type Reply, type Route } from '../../platform/http/route.ts';
import { forOperators, type RouteOpenApi } from '../../platform/http/route-openapi.ts';
import type { SupplierDirectory } from '../../suppliers/index.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { causeView } from './cause.rules.ts';
import { type CauseView, causesSchema } from '../results.schema.ts';
import { jobPath } from '../import-job.schema.ts';
import { findJobOfRequest, type JobViewer } from '../import-job.store.ts';
import { findCauses } from './import-job-cause.store.ts';

const causesExample = {
  causes: [
    {
      code: 'invalid_choice',
      place: 'supply_addresses.*.supply_points.*.supply_type',
      is_warning: false,
      records: 412,
      alone: 398,
      example: { line: 17, value: 'Gaz' },
      detail: 'The value is not one of the allowed choices.',
      remedy:
        'Send one of the values in the detail; values are case-sensitive. For an import supplier, use a code that your key may import for.',
      page: '/docs/codes/invalid_choice/',
    },
  ],
};

const ofJobOpenApi: RouteOpenApi = {
  operationId: 'listImportJobCauses',
  tag: 'Import jobs',
  summary: 'List the causes of failed lines of an import job',
  description:
    'Errors by code and place, those that block most records first, then warnings. They are counted while the job runs and contain no personal data.',
  page: 'docs/suppliers/import-jobs.md',
  path: jobPath,
  query: { only_blocking: flagParameter('Omit warnings.', false) },
  replies: { 200: { description: 'All causes.', schema: causesSchema, example: causesExample } },
  refusals: ['import_job_not_found'],
};

/** `GET import-jobs/<job>/causes/`: the errors and warnings of a job, counted by cause. */
export const listImportJobCauses = (deps: { database: Database }, access: 'supplier' | 'operator'): Route => {
  const openApi = access === 'supplier' ? ofJobOpenApi : forOperators(ofJobOpenApi);
  return readRoute(access, 'import-jobs/:job/causes', { openApi, isLong: true }, (request, viewer) =>
    listCauses(deps, request, viewer),
  );
};

async function listCauses(
  { database }: { database: Database },
  request: AuthenticatedRequest,
  viewer: JobViewer | undefined,
): Promise<Reply | Refused> {
  const onlyBlocking = readFlag(request.query, 'only_blocking', false);
  if (typeof onlyBlocking !== 'boolean') return refuse('validation_failed', { violations: [onlyBlocking] });
  const job = await findJobOfRequest(database, request, viewer);
  if (isRefused(job)) return job;
  return { status: 200, body: { causes: await findCauses(database, job.id, { onlyBlocking }) } };
}

interface StagedCausesDeps {
  /** Database of the list pool: a query over a million accounts takes seconds. */
  lists: Database;
  suppliers: SupplierDirectory;
}

const stagedOpenApi: RouteOpenApi = {
  operationId: 'listStagedCauses',
  tag: 'Import jobs',
  summary: 'List the causes that block staged accounts of an import supplier',
  description:
    'The known causes, without a new attempt: rejections of earlier creations, skip marks, quarantined accounts, and business contracts that do not exist yet. The cause that blocks most accounts comes first.',
  page: 'docs/suppliers/import-jobs.md',
  path: { supplier: accountKeyPath.supplier },
  replies: {
    200: {
      description: 'All causes.',
      schema: causesSchema,
      example: {
        causes: [
          {
            code: 'business_contract_not_found',
            place: 'business.business_contract_identifier',
            is_warning: false,
            records: 1_240,
            alone: 1_236,
            example: { line: null, external_account_number: 'WORKS-00000017', value: null },
            detail:
              'No business of this import supplier has a contract with this identifier. Import the business first.',
            remedy:
              'Create the business with this contract first. business_contract_identifier must equal the identifier of one of its contracts.',
            page: '/docs/codes/business_contract_not_found/',
          },
        ],
      },
    },
  },
  refusals: ['not_found'],
};

/** `GET causes/<import supplier>/`: why staged accounts cannot be created. */
export const listStagedCauses = (deps: StagedCausesDeps, access: 'supplier' | 'operator'): Route => {
  const openApi = access === 'supplier' ? stagedOpenApi : forOperators(stagedOpenApi);
  return readRoute(access, 'causes/:supplier', { openApi, isLong: true }, async ({ params }, viewer) => {
    const { supplier = '' } = params;
    const isVisible = viewer === undefined || viewer.importSuppliers.has(supplier);
    const causes = await readStagedCauses(deps, isVisible ? supplier : '');
    return isRefused(causes) ? causes : { status: 200, body: { causes } };
  });
};

/** Lists why staged accounts of an import supplier cannot be created, the most frequent cause first. A million accounts take seconds. */
export async function readStagedCauses(deps: StagedCausesDeps, code: string): Promise<CauseView[] | Refused> {
  const supplier = await deps.suppliers.find(code);
  if (supplier === undefined) return refuse('not_found', { detail: 'There is no import supplier with this code.' });
  const causes = await deps.lists.transaction((em) => findStagedCauses(em, supplier.code));
  return causes.map(({ externalAccountNumber, ...cause }) => {
    const view = causeView({ ...cause, isWarning: false, exampleLine: null, exampleValue: null });
    return { ...view, example: { ...view.example, external_account_number: externalAccountNumber } };
  });
}
