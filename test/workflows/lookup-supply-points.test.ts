import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { activityInfo, CompleteAsyncError, Context } from '@temporalio/activity';
import { ActivityFailure, ApplicationFailure, CancelledFailure, type WorkflowHandle } from '@temporalio/client';
import type { PageInput, PageResult } from '../../activities/supply-points/work-off-page.activities.ts';
import { lookupBudget } from '../../temporal.config.ts';
import type { LookupInput } from '../../workflows/supply-points/lookup-supply-points.workflow.ts';
import { until } from '../support/until.ts';
import { type LookupFakes, startLookupFakes } from './lookup-fakes.ts';

const nothing: PageResult = { kind: 'idle', waitSeconds: null };
const worked: PageResult = { kind: 'worked' };
const notFor = (waitSeconds: number): PageResult => ({ kind: 'idle', waitSeconds });
const failure = (type: string, nextRetryDelay = 200) =>
  ApplicationFailure.create({ type, message: `fake ${type}`, nextRetryDelay });

/** Fake activities; each receives the number of its call, over all attempts. */
interface Layout {
  page(count: number, page: PageInput): Promise<PageResult>;
  begin?(count: number): Promise<void>;
  end?(count: number): Promise<boolean>;
}

/** The calls, including all attempts of pages, in their order. */
interface Calls {
  pages: PageInput[];
  begun: number;
  ended: number;
}

// One worker for all tests: the queue of a network operator has a fixed name, and a worker that was shut down may still receive a page.
let fakes: LookupFakes;
let layout: Layout;
let calls: Calls;
/** The latest run; all runs of a network operator have the same id. */
let run: WorkflowHandle | undefined;
beforeAll(async () => {
  const activities = {
    lookUpPage: async (page) => layout.page(calls.pages.push(page), page),
    beginLookUps: async () => layout.begin?.((calls.begun += 1)),
    endLookUps: async () => (layout.end === undefined ? (calls.ended += 1) > 0 : layout.end((calls.ended += 1))),
  } satisfies Parameters<typeof startLookupFakes>[1];
  const address = process.env['TEST_TEMPORAL_ADDRESS'] as string;
  fakes = await startLookupFakes(address, activities);
});
// An open run of a failed test would block the next test.
afterEach(async () => {
  await run?.terminate('left by a test').catch(() => {});
});
afterAll(async () => {
  await fakes?.stop();
});

/** Sets the fake activities, and starts a run. */
async function start(next: Layout, input?: Partial<LookupInput>) {
  layout = { begin: async () => {}, ...next };
  calls = { pages: [], begun: 0, ended: 0 };
  const started = await fakes.startLookups(input);
  run = fakes.client.workflow.getHandle(started.workflowId);
  return started;
}

/** Pages in progress until the test resolves them, oldest first. */
function heldPages() {
  const held: PromiseWithResolvers<PageResult>[] = [];
  return {
    hold: (): Promise<PageResult> => {
      const one = Promise.withResolvers<PageResult>();
      held.push(one);
      return one.promise;
    },
    count: () => held.length,
    end: (result: PageResult) => held.shift()?.resolve(result),
  };
}

type Readable = Pick<WorkflowHandle, 'fetchHistory'>;
const eventsOf = async (handle: Readable) => (await handle.fetchHistory()).events ?? [];
/** The lengths of the timers of a run, in seconds. */
const timersOf = async (handle: Readable) =>
  (await eventsOf(handle)).flatMap(({ timerStartedEventAttributes: timer }) =>
    timer ? [Number(timer.startToFireTimeout?.seconds)] : [],
  );
/** The number of pages that a run has opened. */
const openedBy = async (handle: Readable) =>
  (await eventsOf(handle)).filter(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'lookUpPage',
  ).length;
const pendingOf = async (handle: Pick<WorkflowHandle, 'describe'>) =>
  (await handle.describe()).raw.pendingActivities ?? [];
const isRunning = async (handle: Pick<WorkflowHandle, 'describe'>) =>
  (await handle.describe()).status.name === 'RUNNING';
const AT_ONCE = lookupBudget.pagesAtOnce;

test('releases the pages of a lost run, opens pages until no lookup is left, and ends when the database confirms it', async () => {
  await (await start({ page: async (count) => (count <= 10 ? worked : nothing) })).result();
  expect(calls).toMatchObject({ begun: 1, ended: 1 });
  expect(calls.pages.length).toBeGreaterThan(10);
  // Each page has a separate id, by which a retry finds its remaining lookups.
  expect(new Set(calls.pages.map(({ pageId }) => pageId)).size).toBe(calls.pages.length);
  const { pageSize: size, callsAtOnce, pageSeconds: seconds, identifier } = lookupBudget;
  expect(calls.pages[0]).toEqual({
    pageId: expect.any(String),
    networkOperator: 'enedis',
    size,
    callsAtOnce,
    seconds,
    identifier,
  });
});

test('opens no page before the pages of a lost run are released, while the database is unavailable', async () => {
  const takenBefore: number[] = [];
  await (
    await start({
      page: async () => nothing,
      begin: async (count) => {
        takenBefore.push(calls.pages.length);
        if (count < 3) throw failure('database_unavailable');
      },
    })
  ).result();
  expect(takenBefore).toEqual([0, 0, 0]);
  expect(calls.pages.length).toBeGreaterThan(0);
});

test('runs a few pages concurrently, and opens the next one when one has ended', async () => {
  const { hold, count, end } = heldPages();
  const handle = await start({ page: hold });
  await until(() => count() === AT_ONCE);
  expect(await openedBy(handle)).toBe(AT_ONCE);
  end(worked);
  await until(() => calls.pages.length === AT_ONCE + 1);
  expect(await openedBy(handle)).toBe(AT_ONCE + 1);
  for (let page = 0; page < AT_ONCE; page += 1) end(nothing);
  await handle.result();
  expect(calls.pages).toHaveLength(AT_ONCE + 1);
});

test('opens no page after an idle one, and waits for the pages in progress', async () => {
  const { hold, count, end } = heldPages();
  const handle = await start({ page: hold });
  await until(() => count() === AT_ONCE);
  for (let page = 1; page < AT_ONCE; page += 1) end(nothing);
  await until(async () => (await pendingOf(handle)).length === 1);
  expect([await isRunning(handle), calls.ended]).toEqual([true, 0]);
  end(nothing);
  await handle.result();
  expect([await openedBy(handle), calls.ended]).toEqual([AT_ONCE, 1]);
});

test('opens pages again when a page has worked after an idle one', async () => {
  const { hold, count, end } = heldPages();
  const handle = await start({ page: hold });
  await until(() => count() === AT_ONCE);
  end(nothing);
  await until(async () => (await pendingOf(handle)).length === AT_ONCE - 1);
  end(worked);
  await until(() => calls.pages.length === AT_ONCE + 2);
  for (let page = 0; page < AT_ONCE; page += 1) end(nothing);
  await handle.result();
  expect(calls.ended).toBe(1);
});

test('retries deferred lookups automatically when they are due', async () => {
  await (await start({ page: async (count) => (count <= AT_ONCE ? notFor(1) : nothing) })).result();
  expect(calls.pages).toHaveLength(2 * AT_ONCE);
  expect(calls.ended).toBe(1);
});

test.each([
  ['deferred for an hour', 3_600],
  ['a moment', 0.02],
  ['a part of a second', 59.1],
])('%s: sleeps until then, in whole seconds, and does not try to end', async (_what, seconds) => {
  const { hold, count, end } = heldPages();
  const handle = await start({ page: async (page) => (page <= AT_ONCE ? notFor(seconds) : hold()) });
  await until(async () => (await timersOf(handle)).length === 1);
  expect(await timersOf(handle)).toEqual([Math.max(1, Math.ceil(seconds))]);
  await handle.signal('workArrived');
  await until(() => count() === AT_ONCE);
  expect(calls.ended).toBe(0);
  for (let page = 0; page < AT_ONCE; page += 1) end(nothing);
  await handle.result();
  expect(calls.ended).toBe(1);
});

test('new work or a new speed wakes a run that waits for an hour', async () => {
  const handle = await start({ page: async (count) => (count <= AT_ONCE ? notFor(3_600) : nothing) });
  await until(async () => (await timersOf(handle)).length === 1);
  await handle.signal('workArrived');
  await handle.result();
  expect(calls.pages).toHaveLength(2 * AT_ONCE);
});

test('opens pages for new work although a page in progress returned idle', async () => {
  const { hold, count, end } = heldPages();
  let areHeld = true;
  const handle = await start({ page: async () => (areHeld ? hold() : nothing) });
  await until(() => count() === AT_ONCE);
  end(nothing);
  await until(async () => (await pendingOf(handle)).length === AT_ONCE - 1);
  expect(calls.pages).toHaveLength(AT_ONCE);
  await handle.signal('workArrived');
  await until(() => calls.pages.length === AT_ONCE + 1);
  // Pages that read before the signal make the run open a page again.
  areHeld = false;
  for (let page = 0; page < AT_ONCE; page += 1) end(nothing);
  await handle.result();
});

test('opens a page for new work although all pages, which read before the signal, return idle for an hour', async () => {
  const { hold, count, end } = heldPages();
  const handle = await start({ page: async (page) => (page <= AT_ONCE ? hold() : nothing) });
  await until(() => count() === AT_ONCE);
  await handle.signal('workArrived');
  await until(async () => (await eventsOf(handle)).at(-1)?.workflowTaskCompletedEventAttributes != null);
  for (let page = 0; page < AT_ONCE; page += 1) end(notFor(3_600));
  await handle.result();
  expect(calls.pages.length).toBeGreaterThan(AT_ONCE);
  expect(await timersOf(handle)).toEqual([]);
});

test('retries soon when identifiers are pending that no page could take', async () => {
  await (await start({ page: async () => nothing, end: async (count) => count > 2 })).result();
  expect(calls).toMatchObject({ ended: 3 });
  expect(calls.pages).toHaveLength(3 * AT_ONCE);
});

test('keeps work that arrives while the run is about to end', async () => {
  const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const handle = await start({
    page: async () => nothing,
    end: async (count) => {
      if (count > 1) return true;
      reached.resolve();
      await goOn.promise;
      return true;
    },
  });
  await reached.promise;
  await handle.signal('workArrived');
  goOn.resolve();
  await handle.result();
  expect(calls.ended).toBe(2);
  expect(calls.pages).toHaveLength(2 * AT_ONCE);
});

test('retries to end until the database is available', async () => {
  await (
    await start({
      page: async () => nothing,
      end: async (count) => {
        if (count < 3) throw failure('database_unavailable');
        return true;
      },
    })
  ).result();
  expect(calls.ended).toBe(3);
  expect(calls.pages).toHaveLength(AT_ONCE);
});

test.each(['vendor_unavailable', 'vendor_misconfigured', 'database_unavailable'])(
  'shows %s in the web UI as pending pages with the failure, and continues the same pages afterwards',
  async (type) => {
    let isOver = false;
    const handle = await start({
      page: async () => {
        if (!isOver) throw failure(type);
        return nothing;
      },
    });
    await until(async () => (await pendingOf(handle)).filter(({ attempt }) => (attempt ?? 0) >= 3).length === AT_ONCE);
    for (const pending of await pendingOf(handle)) {
      expect(pending).toMatchObject({
        activityType: { name: 'lookUpPage' },
        lastFailure: { message: `fake ${type}`, applicationFailureInfo: { type } },
      });
    }
    expect(await handle.query('__temporal_workflow_metadata')).toMatchObject({
      currentDetails: expect.stringMatching(/Asks Enedis.*failure means that Enedis is down or rejects our calls/),
    });
    isOver = true;
    await handle.result();
    expect(new Set(calls.pages.map(({ pageId }) => pageId)).size).toBe(AT_ONCE);
    expect(await openedBy(handle)).toBe(AT_ONCE);
  },
);

test('retries a page whose worker is lost', async () => {
  const attempts: number[] = [];
  const handle = await start({
    page: async (count) => {
      // Never returns and never heartbeats, like a killed worker.
      if (count === 1) throw new CompleteAsyncError();
      attempts.push(activityInfo().attempt);
      return nothing;
    },
  });
  await handle.result();
  const [lost] = calls.pages as [PageInput];
  expect(calls.pages.filter(({ pageId }) => pageId === lost.pageId)).toHaveLength(2);
  expect(attempts.toSorted()).toEqual([1, 1, 1, 2]);
});

test('fails the run with its cause on a non-retryable failure, and keeps the work item', async () => {
  const handle = await start({
    page: async () => {
      throw ApplicationFailure.nonRetryable('The network operator takes no such question.', 'vendor_rejected');
    },
  });
  const failure = await handle.result().then(
    () => undefined,
    (error: Error) => error,
  );
  expect(failure).toMatchObject({
    cause: {
      activityType: 'lookUpPage',
      cause: { type: 'vendor_rejected', message: 'The network operator takes no such question.' },
    },
  });
  expect((failure as Error).cause).toBeInstanceOf(ActivityFailure);
  expect((await handle.describe()).status.name).toBe('FAILED');
  expect(calls.ended).toBe(0);
});

test('continues as a new run before its history grows, with its budget, and interrupts no page', async () => {
  const identifier = { triesMax: 2, retrySeconds: 1, deferredSeconds: 2, giveUpSeconds: 3 };
  const first = await start(
    { page: async (count) => (count <= 60 ? worked : nothing) },
    { eventsPerRun: 60, identifier },
  );
  await first.result();
  const runs: Readable[] = [];
  for (let runId: string | undefined = first.firstExecutionRunId; runId !== undefined;) {
    const one: Readable = fakes.client.workflow.getHandle(first.workflowId, runId);
    runs.push(one);
    runId =
      (await eventsOf(one)).at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
  }
  expect(runs.length).toBeGreaterThan(2);
  // Each run has awaited the pages that it opened.
  const opened = await Promise.all(runs.map(openedBy));
  expect(opened.reduce((sum, count) => sum + count, 0)).toBe(calls.pages.length);
  for (const one of runs) expect((await eventsOf(one)).length).toBeLessThan(120);
  // A continued run must not release pages, because they would be its own.
  expect(calls).toMatchObject({ begun: 1, ended: 1 });
  expect(calls.pages.map((page) => page.identifier)).toEqual(calls.pages.map(() => identifier));
});

test('cancels pages in progress when it is cancelled in the web UI, and keeps the work item', async () => {
  const stopped: string[] = [];
  const handle = await start({
    page: async (_count, { pageId }) => {
      const beat = setInterval(() => {
        Context.current().heartbeat();
      }, 100);
      try {
        return await Context.current().cancelled;
      } catch (error) {
        stopped.push(pageId);
        throw error;
      } finally {
        clearInterval(beat);
      }
    },
  });
  await until(() => calls.pages.length === AT_ONCE);
  await handle.cancel();
  await expect(handle.result()).rejects.toMatchObject({ cause: expect.any(CancelledFailure) });
  expect((await handle.describe()).status.name).toBe('CANCELLED');
  await until(() => stopped.length === AT_ONCE);
  expect(calls.ended).toBe(0);
});

test('ends immediately when it is cancelled in the web UI while it waits, and keeps the work item', async () => {
  const handle = await start({ page: async () => notFor(3_600) });
  await until(async () => (await timersOf(handle)).length === 1);
  await handle.cancel();
  await expect(handle.result()).rejects.toMatchObject({ cause: expect.any(CancelledFailure) });
  expect(calls.ended).toBe(0);
});
