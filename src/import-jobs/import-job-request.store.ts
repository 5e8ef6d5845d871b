import type { Queryable } from '../platform/database/prepared-query.ts';
import type { AuthenticatedRequest } from '../platform/http/route.ts';
import { refuse, type Refused } from '../vocabulary/refusals.ts';
import { isUuid } from '../vocabulary/wire-forms.ts';
import { findJob, type ImportJobRecord, type JobViewer } from './import-job.store.ts';

/** Highest number of a part. */
export const PARTS_MAX = 10_000;

/** Whether a string can be the id of a job. */
export function isJobId(text: string): boolean {
  return isUuid(text);
}

/** Reads the part number in a path. @returns undefined if it is not a valid number */
export function partNumberIn(text: string): number | undefined {
  const part = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 0;
  return part >= 1 && part <= PARTS_MAX ? part : undefined;
}

/** The refusal for a job that does not exist or that the caller may not see. */
export function unknownJob(): Refused {
  return refuse('import_job_not_found');
}

/**
 * Finds the job in the path (`:job`), if the caller may see it.
 * @param viewer the caller on supplier paths, of any role; undefined on operator paths, which record reads of personal data in the audit
 */
export async function findJobOfRequest(
  on: Queryable,
  { params }: Pick<AuthenticatedRequest, 'params'>,
  viewer: JobViewer | undefined,
): Promise<ImportJobRecord | Refused> {
  const id = params['job'] ?? '';
  const job = isJobId(id) ? await findJob(on, id, viewer) : undefined;
  return job ?? unknownJob();
}
