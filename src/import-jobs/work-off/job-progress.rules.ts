import type { ImportJobGoal, ImportJobStatus, PauseReason } from '../../vocabulary/import-jobs.ts';

/** How far a job is, as its run shows it. */
export interface JobProgress {
  status: ImportJobStatus;
  pausedBecause: PauseReason | null;
  hasEnded: boolean;
  goal: ImportJobGoal;
  accepted: number;
  judged: number;
  succeeded: number;
  failed: number;
  linesPerSecond: number;
  /** Kinds of failures, and of warnings. */
  causes: number;
  /** Nothing can be done before, unless somebody changes the job. */
  waitMs: number;
}

/** The details of a job's run in the web UI. */
export function describeProgress(job: JobProgress): string {
  const because = job.pausedBecause === null ? '' : ` (${job.pausedBecause.replaceAll('_', ' ')})`;
  const unprocessed = job.accepted - job.succeeded - job.failed;
  return [
    `**${job.status}**${because}, goal ${job.goal}`,
    `${job.succeeded} succeeded, ${job.failed} failed, ${unprocessed} unprocessed of ${job.accepted} lines; ${job.judged} judged.`,
    `${Math.round(job.linesPerSecond)} lines a second; ${job.causes} causes of failures and warnings.`,
  ].join('\n\n');
}
