import type { ImportJobRecord } from '../import-job.entity.ts';

/** The progress of a job, as shown in its run. */
export interface JobProgress extends Pick<
  ImportJobRecord,
  'status' | 'pausedBecause' | 'goal' | 'accepted' | 'judged' | 'succeeded' | 'failed' | 'linesPerSecond'
> {
  hasEnded: boolean;
  /** The number of causes of errors and warnings. */
  causes: number;
  /** Time until the next step, unless the job is changed earlier. */
  waitMs: number;
}

/** Markdown for the details of a job's run in the Temporal web UI. */
export function describeProgress(job: JobProgress): string {
  const because = job.pausedBecause === null ? '' : ` (${job.pausedBecause.replaceAll('_', ' ')})`;
  const unprocessed = job.accepted - job.succeeded - job.failed;
  return [
    `**${job.status}**${because}, goal ${job.goal}`,
    `${job.succeeded} succeeded, ${job.failed} failed, ${unprocessed} unprocessed of ${job.accepted} lines; ${job.judged} validated.`,
    `${Math.round(job.linesPerSecond)} lines per second; ${job.causes} causes of errors and warnings.`,
  ].join('\n\n');
}
