import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import type { WithdrawalProgress } from '../../src/withdrawal/withdrawal-progress.rules.ts';
import { withdrawalBudget } from '../../temporal.config.ts';
import { until } from '../support/until.ts';
import { startWithdrawalFakes, type WithdrawalFakes } from './withdrawal-fakes.ts';

const running: WithdrawalProgress = { status: 'RUNNING', withdrawn: 500, kept: 1 };
const completed: WithdrawalProgress = { status: 'COMPLETED', withdrawn: 900, kept: 3 };

let fakes: WithdrawalFakes;
let next: (round: number) => WithdrawalProgress | null;
let calls: { rounds: number; cancelled: number };
let run: WorkflowHandle | undefined;
beforeAll(async () => {
  fakes = await startWithdrawalFakes(process.env['TEST_TEMPORAL_ADDRESS'] as string, {
    withdrawAccounts: async () => next((calls.rounds += 1)),
    cancelWithdrawal: async () => {
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

test('withdraws until all accounts are done, and shows the counts in the web UI', async () => {
  const handle = await start((round) => (round < 3 ? running : completed));
  expect(await handle.result()).toBe('COMPLETED');
  expect(calls.rounds).toBe(3);
  const { currentDetails } = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  expect(currentDetails).toBe('900 accounts withdrawn, 3 kept because of obstacles.');
});

test('ends the run of a missing withdrawal, and continues a long run as a new one', async () => {
  expect(await (await start(() => null)).result()).toBe('UNKNOWN');
  const handle = await start((round) => (round <= withdrawalBudget.roundsPerRun ? running : completed));
  expect(await handle.result()).toBe('COMPLETED');
  expect(calls.rounds).toBe(withdrawalBudget.roundsPerRun + 1);
});

test('cancels the withdrawal when the run is cancelled', async () => {
  const handle = await start(() => running);
  await until(() => calls.rounds > 0);
  await handle.cancel();
  await expect(handle.result()).rejects.toThrow(WorkflowFailedError);
  expect(calls.cancelled).toBe(1);
});
