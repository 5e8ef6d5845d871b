import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import type { ReconciliationProgress } from '../../src/reconciliation/reconciliation-progress.rules.ts';
import type { RetentionProgress } from '../../src/personal-data/expire/retention.rules.ts';
import { reconciliationBudget } from '../../temporal.config.ts';
import { until } from '../support/until.ts';
import { startReconciliationFakes, type ReconciliationFakes } from './reconciliation-fakes.ts';

const running: ReconciliationProgress = { status: 'RUNNING', accounts: 500, businesses: 0, different: 1 };
const completed: ReconciliationProgress = { status: 'COMPLETED', accounts: 900, businesses: 3, different: 1 };

let fakes: ReconciliationFakes;
let compare: (count: number) => Promise<ReconciliationProgress | null>;
let calls: { compared: number; cancelled: number };
let deletions: { rounds: readonly RetentionProgress[]; made: number; ended: string[] };
let run: WorkflowHandle | undefined;
beforeAll(async () => {
  fakes = await startReconciliationFakes(process.env['TEST_TEMPORAL_ADDRESS'] as string, {
    reconcileAccounts: () => compare((calls.compared += 1)),
    cancelReconciliation: async () => {
      calls.cancelled += 1;
    },
    deleteExpired: async () => {
      deletions.made += 1;
      return deletions.rounds[Math.min(deletions.made, deletions.rounds.length) - 1]!;
    },
    endRetention: async (state) => {
      deletions.ended.push(state);
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

async function start(next: typeof compare) {
  compare = next;
  calls = { compared: 0, cancelled: 0 };
  const handle = await fakes.start();
  run = fakes.client.workflow.getHandle(handle.workflowId);
  return handle;
}
const detailsOf = async (handle: Pick<WorkflowHandle, 'query'>) =>
  (await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata')).currentDetails;

test('compares until it has ended, and shows its counts in the web UI', async () => {
  const handle = await start(async (count) => (count < 3 ? running : completed));
  expect(await handle.result()).toBe('COMPLETED');
  expect(calls.compared).toBe(3);
  expect(await detailsOf(handle)).toBe(
    '900 accounts and 3 businesses compared, 1 differ. Its certificate can be fetched.',
  );
});

test('ends the run of a missing reconciliation', async () => {
  expect(await (await start(async () => null)).result()).toBe('UNKNOWN');
});

test('continues a long run as a new one', async () => {
  const handle = await start(async (count) => (count <= reconciliationBudget.roundsPerRun ? running : completed));
  expect(await handle.result()).toBe('COMPLETED');
  expect(calls.compared).toBe(reconciliationBudget.roundsPerRun + 1);
});

test('cancels the reconciliation when the run is cancelled', async () => {
  const handle = await start(async () => running);
  await until(() => calls.compared > 0);
  await handle.cancel();
  await expect(handle.result()).rejects.toThrow(WorkflowFailedError);
  expect(calls.cancelled).toBe(1);
});

const deleted = { created_payload: 200, never_created: 3, audit: 0, idempotency_key: 0 };

async function startRetention(rounds: readonly RetentionProgress[]) {
  deletions = { rounds, made: 0, ended: [] };
  const handle = await fakes.startRetention();
  run = fakes.client.workflow.getHandle(handle.workflowId);
  return handle;
}

test('deletes until no more data is expired, and then ends the retention', async () => {
  const handle = await startRetention([
    { state: 'RUNNING', deleted },
    { state: 'COMPLETED', deleted },
  ]);
  expect(await handle.result()).toBe('COMPLETED');
  expect(deletions).toMatchObject({ made: 2, ended: ['COMPLETED'] });
  expect(await detailsOf(handle)).toBe(
    '200 payloads of created accounts, 3 accounts that were never created, 0 audit entries and 0 answers by idempotency key deleted. Nothing more is due.',
  );
});

test('ends the retention for the night when it is cancelled', async () => {
  const handle = await startRetention([{ state: 'RUNNING', deleted }]);
  await until(() => deletions.made > 0);
  await handle.cancel();
  await expect(handle.result()).rejects.toThrow(WorkflowFailedError);
  expect(deletions.ended).toEqual(['CANCELLED']);
});
