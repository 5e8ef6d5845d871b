import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from '@jest/globals';
import { ApplicationFailure, defineSearchAttributeKey } from '@temporalio/common';
import type { SwitchActivities } from '../../activities/switching/switch-supplier.activities.ts';
import type { NextStep } from '../../src/switching/switch-state.rules.ts';
import { until } from '../support/until.ts';
import { shortBudget, startSwitchFakes, stepsOf, type SwitchFakes, type SwitchRun } from './switch-fakes.ts';

const address = process.env['TEST_TEMPORAL_ADDRESS'] as string;
const wait: NextStep = { kind: 'wait', forMs: undefined };
const settled: NextStep = { kind: 'settled' };

let fakes: SwitchFakes;
afterEach(async () => {
  await fakes.stop();
});

/** Counts the calls of each activity; `steps` are the decisions of the database. */
async function start(steps: () => Promise<NextStep>, others: Partial<SwitchActivities> = {}) {
  const calls = { steps: 0, sent: 0, unreachable: 0, silent: 0 };
  fakes = await startSwitchFakes(address, {
    takeSwitchStep: async () => {
      calls.steps += 1;
      return steps();
    },
    sendSwitchRequests: async (key) => {
      calls.sent += 1;
      await others.sendSwitchRequests?.(key);
    },
    noteSwitchUnreachable: async () => {
      calls.unreachable += 1;
    },
    noteSwitchSilence: async () => {
      calls.silent += 1;
    },
  });
  return calls;
}

const statusOf = async (run: SwitchRun) =>
  (await run.describe()).typedSearchAttributes.get(defineSearchAttributeKey('ImportStatus', 'KEYWORD'));
const isWaiting = (run: SwitchRun) => until(async () => (await statusOf(run)) === 'WAITING');

test('sends requests, waits for messages, and ends when nothing is left', async () => {
  const calls = await start(stepsOf({ kind: 'send' }, wait, wait, settled));
  const run = await fakes.start(randomUUID());
  await isWaiting(run);
  expect(calls).toEqual({ steps: 2, sent: 1, unreachable: 0, silent: 0 });
  await run.signal('wake');
  await until(() => calls.steps === 3);
  await run.signal('wake');
  expect(await run.result()).toBe('settled');
  expect(calls).toEqual({ steps: 4, sent: 1, unreachable: 0, silent: 0 });
});

test('ends when the first request is due later', async () => {
  const calls = await start(stepsOf({ kind: 'rest', forMs: 1_000 }));
  expect(await (await fakes.start(randomUUID())).result()).toBe('rests');
  expect(calls).toEqual({ steps: 1, sent: 0, unreachable: 0, silent: 0 });
});

test('sends a request that becomes due during a wait, without a signal', async () => {
  const calls = await start(stepsOf({ kind: 'wait', forMs: 200 }, { kind: 'send' }, settled));
  expect(await (await fakes.start(randomUUID())).result()).toBe('settled');
  expect(calls).toEqual({ steps: 3, sent: 1, unreachable: 0, silent: 0 });
});

test('retries a failing network operator until the budget is exhausted, and ends with an outcome', async () => {
  const calls = await start(stepsOf({ kind: 'send' }), {
    sendSwitchRequests: async () => {
      throw ApplicationFailure.create({ type: 'vendor_unavailable' });
    },
  });
  expect(await (await fakes.start(randomUUID(), shortBudget)).result()).toBe('unreachable');
  expect(calls).toMatchObject({ steps: 1, unreachable: 1 });
  expect(calls.sent).toBeGreaterThan(1);
});

test('retries a failing network operator until it answers', async () => {
  let tries = 0;
  const calls = await start(stepsOf({ kind: 'send' }, settled), {
    sendSwitchRequests: async () => {
      if ((tries += 1) < 3) throw ApplicationFailure.create({ type: 'vendor_unavailable' });
    },
  });
  expect(
    await (
      await fakes.start(randomUUID(), {
        ...shortBudget,
        sending: { ...shortBudget.sending, scheduleToCloseTimeout: '1m' },
      })
    ).result(),
  ).toBe('settled');
  expect(calls).toEqual({ steps: 2, sent: 3, unreachable: 0, silent: 0 });
});

test('processes signals while the network operator is unavailable', async () => {
  const calls = await start(stepsOf({ kind: 'send' }, settled), {
    sendSwitchRequests: async () => {
      throw ApplicationFailure.create({ type: 'vendor_unavailable', nextRetryDelay: '1h' });
    },
  });
  const run = await fakes.start(randomUUID());
  await until(
    async () =>
      (await run.describe()).raw.pendingActivities?.[0]?.lastFailure?.applicationFailureInfo?.type ===
      'vendor_unavailable',
  );
  expect(await statusOf(run)).toBe('SENDING');
  await run.signal('wake');
  expect(await run.result()).toBe('settled');
  expect(calls).toEqual({ steps: 2, sent: 1, unreachable: 0, silent: 0 });
});

test('keeps signals that arrive during the last step', async () => {
  const reached = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  let taken = 0;
  const calls = await start(async () => {
    if ((taken += 1) > 1) return settled;
    reached.resolve();
    await goOn.promise;
    return settled;
  });
  const run = await fakes.start(randomUUID());
  await reached.promise;
  await run.signal('wake');
  goOn.resolve();
  expect(await run.result()).toBe('settled');
  expect(calls.steps).toBe(2);
});

test('retries forever while the database is unavailable', async () => {
  let tries = 0;
  const calls = await start(async () => {
    if ((tries += 1) < 4) throw ApplicationFailure.create({ type: 'database_unavailable', nextRetryDelay: '50ms' });
    return settled;
  });
  expect(await (await fakes.start(randomUUID(), shortBudget)).result()).toBe('settled');
  expect(calls).toEqual({ steps: 4, sent: 0, unreachable: 0, silent: 0 });
});

test('continues as a new run before its history grows, and loses no signal', async () => {
  let signals = 0;
  const calls = await start(async () => (signals >= 12 ? settled : wait));
  const run = await fakes.start(randomUUID(), { ...shortBudget, silenceMs: 60_000, historyLengthMax: 30 });
  const first = (await run.describe()).runId;
  const latest = fakes.client.workflow.getHandle(run.workflowId);
  for (let sent = 1; sent <= 12; sent += 1) {
    signals = sent;
    const before = calls.steps;
    await latest.signal('wake');
    await until(() => calls.steps > before);
  }
  await until(async () => (await latest.describe()).status.name === 'COMPLETED');
  const { runId, historyLength } = await latest.describe();
  expect(runId).not.toBe(first);
  expect(historyLength).toBeLessThan(60);
});

test('records a silent network operator once, and continues with the next message', async () => {
  const calls = await start(stepsOf(wait, settled));
  const run = await fakes.start(randomUUID(), shortBudget);
  await until(() => calls.silent === 1);
  await run.signal('wake');
  expect(await run.result()).toBe('settled');
  expect(calls).toMatchObject({ steps: 2, silent: 1 });
});

test('sends a request that is due after a long silence, without a signal', async () => {
  const calls = await start(stepsOf({ kind: 'wait', forMs: 900 }, settled));
  expect(await (await fakes.start(randomUUID(), shortBudget)).result()).toBe('settled');
  expect(calls).toMatchObject({ steps: 2, silent: 1 });
});
