import type { Database } from '../../platform/database/database.ts';
import type { AuthenticatedRequest, Reply, Route } from '../../platform/http/route.ts';
import type { Queryable } from '../../platform/database/prepared-query.ts';
import { importJobStatuses } from '../../vocabulary/import-jobs.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { violation, type Violation } from '../../vocabulary/violations.ts';
import { jobView, type JobView } from './find-import-job.route.ts';
import { isJobId } from '../import-job-request.store.ts';
import { findNewestJobs, type JobViewer } from '../import-job.store.ts';
import { listImportJobsForOperatorOpenApi, listImportJobsOpenApi } from './find-import-job.openapi.ts';

const PATH = '/v1/data-import/import-jobs';
const OPERATORS_PATH = '/v1/operations/import-jobs';
const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;

/** `GET import-jobs/`: the newest jobs that the key may see, for example to find one whose response was lost. */
export const listImportJobs = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: PATH,
  access: 'supplier',
  openApi: listImportJobsOpenApi,
  handle: (request) => answer(deps, request, { path: PATH, viewer: request.caller }),
});

/** The same for operators, of all suppliers. */
export const listImportJobsForOperator = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: OPERATORS_PATH,
  access: 'operator',
  action: 'look',
  openApi: listImportJobsForOperatorOpenApi,
  handle: (request) => answer(deps, request, { path: OPERATORS_PATH, viewer: undefined }),
});

async function answer(
  { database }: { database: Database },
  { query }: AuthenticatedRequest,
  { path, viewer }: { path: string; viewer: JobViewer | undefined },
): Promise<Reply | Refused> {
  const page = await readJobs(database, query, viewer);
  if (isRefused(page)) return page;
  return {
    status: 200,
    body: page.jobs,
    headers: page.next === undefined ? {} : { link: `<${path}/?${page.next}>; rel="next"` },
  };
}

/**
 * Lists the newest jobs that match a query.
 * @param viewer undefined for operators
 * @returns the jobs, and the query of the next page if there are more; a refusal if the query is invalid
 */
export async function readJobs(
  database: Queryable,
  query: URLSearchParams,
  viewer: JobViewer | undefined,
): Promise<{ jobs: JobView[]; next: string | undefined } | Refused> {
  const sent = query.get('limit') ?? String(LIMIT_DEFAULT);
  const limit = /^\d{1,3}$/.test(sent) ? Number(sent) : 0;
  const cursor = query.get('cursor') ?? undefined;
  const importSupplier = query.get('import_supplier') ?? undefined;
  const status = query.get('status') ?? undefined;
  const violations = faultsIn({ limit, cursor, importSupplier, status });
  if (violations.length > 0) return refuse('validation_failed', { violations });
  const jobs = await findNewestJobs(database, { before: cursor, importSupplier, status, limit }, viewer);
  const last = jobs.length === limit ? jobs.at(-1) : undefined;
  const narrowed = { import_supplier: importSupplier, status };
  const kept = Object.entries(narrowed).filter((one): one is [string, string] => one[1] !== undefined);
  const onward = new URLSearchParams([['limit', String(limit)], ['cursor', last?.id ?? ''], ...kept]);
  return { jobs: jobs.map(jobView), next: last && onward.toString() };
}

function faultsIn(sent: {
  limit: number;
  cursor: string | undefined;
  importSupplier: string | undefined;
  status: string | undefined;
}): Violation[] {
  const violations: Violation[] = [];
  if (sent.limit < 1 || sent.limit > LIMIT_MAX) {
    violations.push(violation('invalid', ['limit'], `Send a whole number from 1 to ${LIMIT_MAX}.`));
  }
  if (sent.cursor !== undefined && !isJobId(sent.cursor)) {
    violations.push(violation('invalid', ['cursor'], 'Use the cursor from the Link header of the previous page.'));
  }
  // Postgres stores no text with this character.
  if (sent.importSupplier?.includes('\0') === true) {
    violations.push(violation('null_characters_not_allowed', ['import_supplier']));
  }
  if (sent.status !== undefined && !Object.hasOwn(importJobStatuses, sent.status)) {
    const choices = Object.keys(importJobStatuses).join(', ');
    violations.push(violation('invalid_choice', ['status'], `Send one of ${choices}.`));
  }
  return violations;
}
