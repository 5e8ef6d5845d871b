import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { ApplicationFailure, CancelledFailure, WorkflowNotFoundError, type WorkflowHandle } from '@temporalio/client';
import type { BatchProgress } from '../../src/supply-points/populate/population-batch.store.ts';
import { lookupBudget } from '../../temporal.config.ts';
import { until } from '../support/until.ts';
import { startLookupFakes, type LookupFakes } from './lookup-fakes.ts';

const { shortestSeconds, longestSeconds, checksPerRun, pauseMaxSeconds } = lookupBudget.watch;
const inProgress: BatchProgress = {
  status: 'IN_PROGRESS',
  accepted: 9,
  imported: 4,
  pending: 3,
  errored: 2,
  openBatches: 1,
};
const completed: BatchProgress = {
  status: 'COMPLETED',
  accepted: 9,
  imported: 7,
  pending: 0,
  errored: 2,
  openBatches: 0,
};
const away = () =>
  ApplicationFailure.create({
    type: 'database_unavailable',
    message: 'fake database_unavailable',
    nextRetryDelay: 200,
  });

/** Fake activities; each receives the number of its call, over all attempts. */
interface Layout {
  look(count: number): Promise<BatchProgress | null>;
  cancel?(count: number): Promise<void>;
}

let fakes: LookupFakes;
let layout: Layout;
let calls: { looks: string[]; cancelled: string[] };
let run: WorkflowHandle | undefined;
beforeAll(async () => {
  fakes = await startLookupFakes(process.env['TEST_TEMPORAL_ADDRESS'] as string, {
    watchBatch: async (batchId) => layout.look(calls.looks.push(batchId)),
    cancelBatch: async (batchId) => layout.cancel?.(calls.cancelled.push(batchId)),
  });
});
// Runs of a failed test must not call activities of the next test.
afterEach(async () => {
  await run?.terminate('left by a test').catch(() => {});
});
afterAll(async () => {
  await fakes?.stop();
});

/** Sets the fake activities, and starts a run. @param startDelay time before a worker gets the first task */
async function start(next: Layout, startDelay?: '1s') {
  layout = { cancel: async () => {}, ...next };
  calls = { looks: [], cancelled: [] };
  const started = await fakes.startBatch(startDelay);
  run = fakes.client.workflow.getHandle(started.workflowId);
  return started;
}

/** The lengths of the timers of a run, in seconds. */
async function timersOf(handle: Pick<WorkflowHandle, 'fetchHistory'>): Promise<number[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap(({ timerStartedEventAttributes: timer }) =>
    timer ? [Number(timer.startToFireTimeout?.seconds) + Number(timer.startToFireTimeout?.nanos) / 1e9] : [],
  );
}
const statusOf = async (handle: Pick<WorkflowHandle, 'describe'>) => (await handle.describe()).status.name;
const detailsOf = async (handle: Pick<WorkflowHandle, 'query'>) =>
  (await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata')).currentDetails;
/** Signals a run to check its batch. The pause may have ended before, and the run with it; that counts as a check too. */
const tell = (handle: Pick<WorkflowHandle, 'signal'>) =>
  handle.signal('batchMoved').catch((error: unknown) => {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  });
/** Whether a run sleeps between two checks. */
const sleeps = async (handle: Pick<WorkflowHandle, 'fetchHistory'>, times = 1) =>
  (await timersOf(handle)).length >= times;

test.each<[string, BatchProgress | null]>([
  ['COMPLETED', completed],
  ['CANCELLED', { ...completed, status: 'CANCELLED' }],
  ['UNKNOWN', null],
])('ends with the status of a batch that is %s', async (outcome, progress) => {
  expect(await (await start({ look: async () => progress })).result()).toBe(outcome);
  expect(calls).toEqual({ looks: [expect.any(String)], cancelled: [] });
});

test('shows the counts of a batch in progress in the web UI, and checks it again automatically', async () => {
  let progress = inProgress;
  const handle = await start({ look: async () => progress });
  await until(() => sleeps(handle));
  expect(await detailsOf(handle)).toBe('4 imported, 3 pending, 2 errored of 9 supply points.');
  progress = completed;
  expect(await handle.result()).toBe('COMPLETED');
  expect(await detailsOf(handle)).toBe('7 imported, 0 pending, 2 errored of 9 supply points.');
});

test('checks a cancelled or retried batch immediately, and otherwise with growing pauses up to the longest', async () => {
  const handle = await start({ look: async (count) => (count <= 12 ? inProgress : completed) });
  for (let looks = 1; looks <= 12; looks += 1) {
    await until(() => sleeps(handle, looks));
    await tell(handle);
  }
  // The pauses together exceed the timeout of the test.
  expect(await handle.result()).toBe('COMPLETED');
  const expected = Array.from({ length: 12 }, (_, index) => Math.min(shortestSeconds * 1.5 ** index, longestSeconds));
  (await timersOf(handle)).forEach((seconds, index) => {
    expect(seconds).toBeCloseTo(expected[index] as number, 2);
  });
  expect(expected.at(-1)).toBe(longestSeconds);
});

test('waits longer with more open batches, so that the total rate of checks stays the same', async () => {
  const open = [1, 500, 1_000_000];
  const handle = await start({
    look: async (count) => (count <= 3 ? { ...inProgress, openBatches: open[count - 1]! } : completed),
  });
  for (let looks = 1; looks <= 3; looks += 1) {
    await until(() => sleeps(handle, looks));
    if (looks === 3) expect(await timersOf(handle)).toEqual([shortestSeconds, 500, pauseMaxSeconds]);
    await tell(handle);
  }
  expect(await handle.result()).toBe('COMPLETED');
});

test('keeps a signal that arrives during a check', async () => {
  const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const handle = await start({
    look: async (count) => {
      if (count > 1) return completed;
      reached.resolve();
      await goOn.promise;
      return inProgress;
    },
  });
  await reached.promise;
  await handle.signal('batchMoved');
  goOn.resolve();
  expect(await handle.result()).toBe('COMPLETED');
  expect(await timersOf(handle)).toEqual([]);
});

test('shows an unavailable database in the web UI, and waits for it', async () => {
  let isAway = true;
  const handle = await start({
    look: async () => {
      if (isAway) throw away();
      return completed;
    },
  });
  await until(async () => ((await handle.describe()).raw.pendingActivities?.[0]?.attempt ?? 0) >= 3);
  expect((await handle.describe()).raw.pendingActivities).toMatchObject([
    {
      activityType: { name: 'watchBatch' },
      lastFailure: { message: 'fake database_unavailable', applicationFailureInfo: { type: 'database_unavailable' } },
    },
  ]);
  isAway = false;
  expect(await handle.result()).toBe('COMPLETED');
});

test('continues as a new run after the limit of checks, and watches the same batch', async () => {
  const first = await start({ look: async (count) => (count <= checksPerRun ? inProgress : completed) });
  const latest = fakes.client.workflow.getHandle(first.workflowId);
  // One signal per check, because the pauses would take hours.
  for (let looks = 1; looks <= checksPerRun; looks += 1) {
    await until(() => calls.looks.length >= looks, 5);
    await tell(latest);
  }
  expect(await first.result()).toBe('COMPLETED');
  expect(calls.looks).toHaveLength(checksPerRun + 1);
  expect(new Set(calls.looks).size).toBe(1);
  const one = fakes.client.workflow.getHandle(first.workflowId, first.firstExecutionRunId);
  expect(await statusOf(one)).toBe('CONTINUED_AS_NEW');
});

test.each<[string, Layout['look']]>([
  ['between two looks', async () => inProgress],
  [
    'during a check',
    async () => {
      throw away();
    },
  ],
])('cancels the batch and then the run when it is cancelled in the web UI %s', async (what, look) => {
  const handle = await start({ look });
  await until(() => (what === 'between two looks' ? sleeps(handle) : calls.looks.length > 1));
  await handle.cancel();
  await expect(handle.result()).rejects.toMatchObject({ cause: expect.any(CancelledFailure) });
  expect(await statusOf(handle)).toBe('CANCELLED');
  expect(calls.cancelled).toEqual([calls.looks[0]]);
});

test('cancels the batch when the run is cancelled before its first task', async () => {
  const handle = await start({ look: async () => inProgress }, '1s');
  await handle.cancel();
  await expect(handle.result()).rejects.toMatchObject({ cause: expect.any(CancelledFailure) });
  expect(calls.cancelled).toHaveLength(1);
});

test('waits with a cancellation while the database is unavailable, also after a second cancellation', async () => {
  let isAway = true;
  const handle = await start({
    look: async () => inProgress,
    cancel: async () => {
      if (isAway) throw away();
    },
  });
  await until(() => sleeps(handle));
  await handle.cancel();
  await until(async () => ((await handle.describe()).raw.pendingActivities?.[0]?.attempt ?? 0) >= 3);
  expect((await handle.describe()).raw.pendingActivities).toMatchObject([
    {
      activityType: { name: 'cancelBatch' },
      lastFailure: { applicationFailureInfo: { type: 'database_unavailable' } },
    },
  ]);
  await handle.cancel();
  const triesSoFar = calls.cancelled.length;
  await until(() => calls.cancelled.length > triesSoFar);
  expect(await statusOf(handle)).toBe('RUNNING');
  isAway = false;
  await expect(handle.result()).rejects.toMatchObject({ cause: expect.any(CancelledFailure) });
});

test('fails the run with its cause on a non-retryable failure, and cancels nothing', async () => {
  const handle = await start({
    look: async () => {
      throw ApplicationFailure.nonRetryable('The batch cannot be read.', 'error');
    },
  });
  await expect(handle.result()).rejects.toMatchObject({
    cause: { activityType: 'watchBatch', cause: { type: 'error', message: 'The batch cannot be read.' } },
  });
  expect(await statusOf(handle)).toBe('FAILED');
  expect(calls.cancelled).toEqual([]);
});
