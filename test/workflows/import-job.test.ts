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
// Runs of a failed test must not call activities of the next test.
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

test('works on a job until it has ended, and shows its counts in the web UI', async () => {
  const handle = await start(async (count) => (count < 3 ? running : completed));
  expect(await handle.result()).toBe('COMPLETED');
  expect(calls.worked).toHaveLength(3);
  expect(await detailsOf(handle)).toBe(
    '**COMPLETED**, goal CREATE\n\n9 succeeded, 1 failed, 0 unprocessed of 10 lines; 10 validated.\n\n3 lines per second; 2 causes of errors and warnings.',
  );
});

test('ends the run of a missing job', async () => {
  expect(await (await start(async () => null)).result()).toBe('UNKNOWN');
});

test('waits until a paused job is changed, and shows the reason for the pause', async () => {
  let progress = paused;
  const handle = await start(async () => progress);
  await until(async () => (await detailsOf(handle))?.includes('PAUSED') ?? false);
  expect(await detailsOf(handle)).toContain('**PAUSED** (too many failures)');
  expect(calls.worked).toHaveLength(1);
  progress = completed;
  await handle.signal('jobChanged');
  expect(await handle.result()).toBe('COMPLETED');
});

test('keeps a change that arrives during an activity', async () => {
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

test('retries the same step while the database is unavailable', async () => {
  const handle = await start(async (count) => {
    if (count === 1) {
      throw ApplicationFailure.create({ type: 'database_unavailable', message: 'fake', nextRetryDelay: 100 });
    }
    return completed;
  });
  expect(await handle.result()).toBe('COMPLETED');
  expect(calls.worked).toHaveLength(2);
});

test('cancels the job when the run is cancelled', async () => {
  const handle = await start(async () => paused);
  await until(() => calls.worked.length > 0);
  await handle.cancel();
  await expect(handle.result()).rejects.toMatchObject({ cause: expect.any(CancelledFailure) });
  expect(calls.cancelled).toEqual([calls.worked[0]]);
});

test('continues a long job in a new run', async () => {
  const handle = await start(async (count) => (count <= importJobBudget.roundsPerRun ? running : completed));
  expect(await handle.result()).toBe('COMPLETED');
  expect((await handle.describe()).runId).not.toBe(handle.firstExecutionRunId);
  expect(calls.worked).toHaveLength(importJobBudget.roundsPerRun + 1);
}, 120_000);
