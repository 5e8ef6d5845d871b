import type { Database } from '../../platform/database/database.ts';
import type { AuthenticatedRequest, Reply, Route } from '../../platform/http/route.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import { violation, type Violation } from '../../vocabulary/violations.ts';
import { jobView } from './find-import-job.route.ts';
import { isJobId } from '../import-job-request.rules.ts';
import { findNewestJobs, type JobViewer } from '../import-job.store.ts';
import { listImportJobsForOperatorOpenApi, listImportJobsOpenApi } from './list-import-jobs.openapi.ts';

const PATH = '/v1/data-import/import-jobs';
const OPERATORS_PATH = '/v1/operations/import-jobs';
const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;

/** `GET import-jobs/`: the newest jobs, so that one whose answer was lost is found. Each is listed for whom it can be seen by. */
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
  const sent = query.get('limit') ?? String(LIMIT_DEFAULT);
  const limit = /^\d{1,3}$/.test(sent) ? Number(sent) : 0;
  const cursor = query.get('cursor') ?? undefined;
  const importSupplier = query.get('import_supplier') ?? undefined;
  const violations = faultsIn({ limit, cursor, importSupplier });
  if (violations.length > 0) return refuse('validation_failed', { violations });
  const jobs = await findNewestJobs(database, { before: cursor, importSupplier, limit }, viewer);
  const last = jobs.length === limit ? jobs.at(-1) : undefined;
  const narrowed = importSupplier === undefined ? '' : `&import_supplier=${encodeURIComponent(importSupplier)}`;
  const headers: Record<string, string> =
    last === undefined ? {} : { link: `<${path}/?limit=${limit}&cursor=${last.id}${narrowed}>; rel="next"` };
  return { status: 200, body: jobs.map(jobView), headers };
}

function faultsIn(sent: {
  limit: number;
  cursor: string | undefined;
  importSupplier: string | undefined;
}): Violation[] {
  const violations: Violation[] = [];
  if (sent.limit < 1 || sent.limit > LIMIT_MAX) {
    violations.push(violation('invalid', ['limit'], `A whole number from 1 to ${LIMIT_MAX} is expected.`));
  }
  if (sent.cursor !== undefined && !isJobId(sent.cursor)) {
    violations.push(violation('invalid', ['cursor'], 'Take the cursor from the Link header of the page before.'));
  }
  // The database takes no such character in a text.
  if (sent.importSupplier?.includes('\0') === true) {
    violations.push(violation('null_characters_not_allowed', ['import_supplier']));
  }
  return violations;
}
