import type { ImportJobGoal, ImportJobStatus } from '../vocabulary/import-jobs.ts';

/** What the progress of a job is told from. */
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

/** Counts of lines; the three parts always add up to what was accepted. */
export function countsOf({ accepted, succeeded, failed }: JobProgress) {
  return { accepted, succeeded, failed, unprocessed: accepted - succeeded - failed };
}

/** How many lines have passed each step of the goal. */
export function stepsOf({ goal, judged, staged, succeeded }: JobProgress) {
  return { judged, staged: goal === 'STAGE' ? succeeded : staged, created: goal === 'CREATE' ? succeeded : 0 };
}

/** Lines that a job has still to judge, and accounts that it has still to create; the rate counts both. */
function stepsLeft(job: JobProgress): number {
  const { unprocessed } = countsOf(job);
  return job.goal === 'CREATE' ? job.accepted - job.judged + unprocessed : unprocessed;
}

/** When a job will have done all its lines at the present rate; undefined where nobody can say. */
export function estimatedEnd(job: JobProgress, nowMs: number): Date | undefined {
  const isAtWork = job.status === 'VALIDATING' || job.status === 'RUNNING';
  if (!isAtWork || job.linesPerSecond <= 0) return undefined;
  return new Date(nowMs + (stepsLeft(job) / job.linesPerSecond) * 1_000);
}
