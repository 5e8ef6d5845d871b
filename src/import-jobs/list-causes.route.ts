import type { Database } from '../platform/database/database.ts';
import { booleanIn } from '../platform/http/query-parameters.ts';
import type { AuthenticatedRequest, Reply, Route } from '../platform/http/route.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { violation } from '../vocabulary/violations.ts';
import { listCausesOpenApi } from './causes.openapi.ts';
import { findJobOfRequest } from './find-job-of-request.store.ts';
import { findCauses } from './import-job-cause.store.ts';

/** `GET import-jobs/<job>/causes/`: why lines of a job failed, and what it warns of. */
export const listImportJobCauses = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/data-import/import-jobs/:job/causes',
  access: 'supplier',
  openApi: listCausesOpenApi('listImportJobCauses', 'Import jobs'),
  handle: (request) => listCauses(deps, request),
});

/** The same for operators, of any job. */
export const listImportJobCausesForOperator = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/import-jobs/:job/causes',
  access: 'operator',
  action: 'read',
  openApi: listCausesOpenApi('listImportJobCausesForOperator', 'Operations'),
  handle: (request) => listCauses(deps, request),
});

async function listCauses(
  { database }: { database: Database },
  request: AuthenticatedRequest,
): Promise<Reply | Refused> {
  const onlyBlocking = readOnlyBlocking(request.query);
  if (isRefused(onlyBlocking)) return onlyBlocking;
  const job = await findJobOfRequest(database, request);
  if (isRefused(job)) return job;
  return { status: 200, body: { causes: await findCauses(database, job.id, { onlyBlocking }) } };
}

/** Whether warnings are left out; they are told unless it is sent. */
export function readOnlyBlocking(query: URLSearchParams): boolean | Refused {
  const sent = query.getAll('only_blocking');
  const value = booleanIn(sent[0] ?? 'false');
  return sent.length > 1 || value === undefined
    ? refuse('validation_failed', {
        violations: [violation('invalid', ['only_blocking'], 'Send true or false, or 1 or 0, once.')],
      })
    : value;
}
