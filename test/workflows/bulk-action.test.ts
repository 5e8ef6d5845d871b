import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import type { BulkProgress } from '../../src/bulk-actions/bulk-progress.rules.ts';
import { bulkActionBudget, wakeSignalOfKind } from '../../temporal.config.ts';
import { until } from '../support/until.ts';
import { startBulkActionFakes, type BulkActionFakes } from './bulk-action-fakes.ts';

const running: BulkProgress = { status: 'RUNNING', matched: 900, handled: 500 };
const completed: BulkProgress = { ...running, status: 'COMPLETED', handled: 900 };
const paused: BulkProgress = { ...running, status: 'PAUSED' };

let fakes: BulkActionFakes;
let next: (round: number) => BulkProgress | null;
let calls: { rounds: number; cancelled: number };
let run: WorkflowHandle | undefined;
beforeAll(async () => {
  fakes = await startBulkActionFakes(process.env['TEST_TEMPORAL_ADDRESS'] as string, {
    workBulkAction: async () => next((calls.rounds += 1)),
    cancelBulkAction: async () => {
      calls.cancelled += 1;
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

async function start(rounds: typeof next) {
  next = rounds;
  calls = { rounds: 0, cancelled: 0 };
  const handle = await fakes.start();
  run = fakes.client.workflow.getHandle(handle.workflowId);
  return handle;
}
const detailsOf = async (handle: WorkflowHandle) =>
  (await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata')).currentDetails;

test('works until all items are handled, and shows the count in the web UI', async () => {
  const handle = await start((round) => (round < 3 ? running : completed));
  expect(await handle.result()).toBe('COMPLETED');
  expect(calls.rounds).toBe(3);
  expect(await detailsOf(handle)).toBe('900 of 900 items handled.');
});

test('waits while the action is paused, and continues after a signal', async () => {
  const handle = await start((round) => (round === 1 ? paused : completed));
  await until(async () => (await detailsOf(handle)) === '500 of 900 items handled; paused.');
  expect(calls.rounds).toBe(1);
  await handle.signal(wakeSignalOfKind['bulk-action'] as string);
  expect(await handle.result()).toBe('COMPLETED');
  expect(calls.rounds).toBe(2);
});

test('ends the run of a missing action, and continues a long run as a new one', async () => {
  expect(await (await start(() => null)).result()).toBe('UNKNOWN');
  const handle = await start((round) => (round <= bulkActionBudget.roundsPerRun ? running : completed));
  expect(await handle.result()).toBe('COMPLETED');
  expect(calls.rounds).toBe(bulkActionBudget.roundsPerRun + 1);
});

test('cancels the action when the run is cancelled', async () => {
  const handle = await start(() => running);
  await until(() => calls.rounds > 0);
  await handle.cancel();
  await expect(handle.result()).rejects.toThrow(WorkflowFailedError);
  expect(calls.cancelled).toBe(1);
});
