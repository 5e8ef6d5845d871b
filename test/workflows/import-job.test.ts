import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { ApplicationFailure, CancelledFailure, type WorkflowHandle } from '@temporalio/client';
import type { JobProgress } from '../../src/import-jobs/work-off/job-progress.rules.ts';
import { importJobBudget } from '../../temporal.config.ts';
import { until } from '../support/until.ts';
import { startJobFakes, type JobFakes } from './job-fakes.ts';

const running: JobProgress = {
  status: 'RUNNING',
  pausedBecause: null,
  hasEnded: false,
  goal: 'CREATE',
  accepted: 10,
  judged: 10,
  succeeded: 4,
  failed: 1,
  linesPerSecond: 3.2,
  causes: 2,
  waitMs: 0,
};
const completed: JobProgress = { ...running, status: 'COMPLETED', hasEnded: true, succeeded: 9 };
const paused: JobProgress = { ...running, status: 'PAUSED', pausedBecause: 'too_many_failures', waitMs: 3_600_000 };

let fakes: JobFakes;
let work: (count: number) => Promise<JobProgress | null>;
let calls: { worked: string[]; cancelled: string[] };
let run: WorkflowHandle | undefined;
beforeAll(async () => {
  fakes = await startJobFakes(process.env['TEST_TEMPORAL_ADDRESS'] as string, {
    workOffImportJob: async (jobId) => work(calls.worked.push(jobId)),
    cancelImportJob: async (jobId) => {
      calls.cancelled.push(jobId);
    },
  });
});
// What a failed test leaves open must not count as calls of the next.
afterEach(async () => {
  await run?.terminate('left by a test').catch(() => {});
});
afterAll(async () => {
  await fakes?.stop();
});

async function start(next: typeof work) {
  work = next;
  calls = { worked: [], cancelled: [] };
  const handle = await fakes.start();
  run = fakes.client.workflow.getHandle(handle.workflowId);
  return handle;
}
const detailsOf = async (handle: Pick<WorkflowHandle, 'query'>) =>
  (await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata')).currentDetails;

test('a job is worked off until it has ended, and its counts stand in the web UI', async () => {
  const handle = await start(async (count) => (count < 3 ? running : completed));
  expect(await handle.result()).toBe('COMPLETED');
  expect(calls.worked).toHaveLength(3);
  expect(await detailsOf(handle)).toBe(
    '**COMPLETED**, goal CREATE\n\n9 succeeded, 1 failed, 0 unprocessed of 10 lines; 10 judged.\n\n3 lines a second; 2 causes of failures and warnings.',
  );
});

test('a job that is not there ends the run', async () => {
  expect(await (await start(async () => null)).result()).toBe('UNKNOWN');
});

test('a paused job rests until somebody changes it, and says why', async () => {
  let progress = paused;
  const handle = await start(async () => progress);
  await until(async () => (await detailsOf(handle))?.includes('PAUSED') ?? false);
  expect(await detailsOf(handle)).toContain('**PAUSED** (too many failures)');
  expect(calls.worked).toHaveLength(1);
  progress = completed;
  await handle.signal('jobChanged');
  expect(await handle.result()).toBe('COMPLETED');
});

test('a change that comes while it is worked off is not lost', async () => {
  const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const handle = await start(async (count) => {
    if (count > 1) return completed;
    reached.resolve();
    await goOn.promise;
    return paused;
  });
  await reached.promise;
  await handle.signal('jobChanged');
  goOn.resolve();
  expect(await handle.result()).toBe('COMPLETED');
});

test('while the database is away the same step is tried again', async () => {
  const handle = await start(async (count) => {
    if (count === 1) {
      throw ApplicationFailure.create({ type: 'database_unavailable', message: 'fake', nextRetryDelay: 100 });
    }
    return completed;
  });
  expect(await handle.result()).toBe('COMPLETED');
  expect(calls.worked).toHaveLength(2);
});

test('cancelling the run cancels the job', async () => {
  const handle = await start(async () => paused);
  await until(() => calls.worked.length > 0);
  await handle.cancel();
  await expect(handle.result()).rejects.toMatchObject({ cause: expect.any(CancelledFailure) });
  expect(calls.cancelled).toEqual([calls.worked[0]]);
});

test('a long job goes on in a new run', async () => {
  const handle = await start(async (count) => (count <= importJobBudget.roundsPerRun ? running : completed));
  expect(await handle.result()).toBe('COMPLETED');
  expect((await handle.describe()).runId).not.toBe(handle.firstExecutionRunId);
  expect(calls.worked).toHaveLength(importJobBudget.roundsPerRun + 1);
}, 120_000);
