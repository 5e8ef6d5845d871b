import type { Queryable } from '../platform/database/prepared-query.ts';
import type { AuthenticatedRequest } from '../platform/http/route.ts';
import { refuse, type Refused } from '../vocabulary/refusals.ts';
import { isUuid } from '../vocabulary/wire-forms.ts';
import { findJob, type ImportJobRecord, type JobViewer } from './import-job.store.ts';

/** Highest number of a part. */
export const PARTS_MAX = 10_000;

/** Tells whether a text can be the id of a job. */
export function isJobId(text: string): boolean {
  return isUuid(text);
}

/** The number of a part in a path; undefined if it is none. */
export function partNumberIn(text: string): number | undefined {
  const part = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 0;
  return part >= 1 && part <= PARTS_MAX ? part : undefined;
}

/** A job that nobody knows, or that is another one's: both look alike. */
export function unknownJob(): Refused {
  return refuse('import_job_not_found');
}

/**
 * The job that a path names by `:job`, if it can be seen.
 * @param viewer the caller on the paths of suppliers, whatever its role: what operators read of people is written down by their own paths; there undefined
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
