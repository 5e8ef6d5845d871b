import type { ImportJobGoal, ImportJobStatus } from '../vocabulary/import-jobs.ts';

/** The counts and state from which progress is computed. */
export interface JobProgress {
  goal: ImportJobGoal;
  status: ImportJobStatus;
  accepted: number;
  judged: number;
  staged: number;
  succeeded: number;
  failed: number;
  linesPerSecond: number;
}

/** Counts of lines; succeeded, failed and unprocessed always add up to accepted. */
export function countsOf({ accepted, succeeded, failed }: JobProgress) {
  return { accepted, succeeded, failed, unprocessed: accepted - succeeded - failed };
}

/** How many lines have passed each step of the goal. */
export function stepsOf({ goal, judged, staged, succeeded }: JobProgress) {
  return { judged, staged: goal === 'STAGE' ? succeeded : staged, created: goal === 'CREATE' ? succeeded : 0 };
}

/** Lines still to validate plus accounts still to create; the rate counts both. */
function stepsLeft(job: JobProgress): number {
  const { unprocessed } = countsOf(job);
  return job.goal === 'CREATE' ? job.accepted - job.judged + unprocessed : unprocessed;
}

/** When the job ends at the current rate; undefined if it is not running or has no rate yet. */
export function estimatedEnd(job: JobProgress, nowMs: number): Date | undefined {
  const isAtWork = job.status === 'VALIDATING' || job.status === 'RUNNING';
  if (!isAtWork || job.linesPerSecond <= 0) return undefined;
  return new Date(nowMs + (stepsLeft(job) / job.linesPerSecond) * 1_000);
}
