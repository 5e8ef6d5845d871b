import type { Queryable } from '../platform/database/prepared-query.ts';
import type { AuthenticatedRequest } from '../platform/http/route.ts';
import type { Refused } from '../vocabulary/refusals.ts';
import { isJobId, unknownJob } from './import-job-request.rules.ts';
import { findJob, viewerOf, type ImportJobRecord } from './import-job.store.ts';

/** The job that a path names by `:job`, if its caller may see it: operators see all, suppliers those of their organisation and import suppliers. */
export async function findJobOfRequest(
  on: Queryable,
  { params, caller }: Pick<AuthenticatedRequest, 'params' | 'caller'>,
): Promise<ImportJobRecord | Refused> {
  const id = params['job'] ?? '';
  const job = isJobId(id) ? await findJob(on, id, viewerOf(caller)) : undefined;
  return job ?? unknownJob();
}
