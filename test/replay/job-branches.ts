import type { WorkflowHandle } from '@temporalio/client';
import type { JobProgress } from '../../src/import-jobs/work-off/job-progress.rules.ts';
import type { JobFakes } from '../workflows/job-fakes.ts';

const running: JobProgress = {
  status: 'RUNNING',
  pausedBecause: null,
  hasEnded: false,
  goal: 'CREATE',
  accepted: 10,
  judged: 10,
  succeeded: 4,
  failed: 1,
  linesPerSecond: 3,
  causes: 1,
  waitMs: 0,
};
const paused: JobProgress = { ...running, status: 'PAUSED', pausedBecause: 'asked', waitMs: 3_600_000 };
const completed: JobProgress = { ...running, status: 'COMPLETED', hasEnded: true, succeeded: 9 };

/** A branch of the workflow of import jobs: the results of its rounds, and the actions on the run. */
interface JobBranch {
  rounds: readonly JobProgress[];
  meddle?(handle: Awaited<ReturnType<JobFakes['start']>>): Promise<unknown>;
}

export const jobBranches: Record<string, JobBranch> = {
  'import-job.completed': { rounds: [running, running, completed] },
  'import-job.waits': { rounds: [{ ...running, waitMs: 200 }, completed] },
  'import-job.resumed': { rounds: [paused, completed], meddle: (handle) => handle.signal('jobChanged') },
  'import-job.cancelled': { rounds: [paused], meddle: (handle: WorkflowHandle) => handle.cancel() },
};
