import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from '@jest/globals';
import { ApplicationFailure, defineSearchAttributeKey } from '@temporalio/common';
import type { RequestActivities } from '../../activities/switching/switch-pages.activities.ts';
import type { NextStep } from '../../src/switching/switch-state.rules.ts';
import { until } from '../support/until.ts';
import { answersOf, shortBudget, startSwitchFakes, type SwitchFakes, type SwitchRun } from './switch-fakes.ts';

const address = process.env['TEST_TEMPORAL_ADDRESS'] as string;
const send: NextStep = { kind: 'send' };
const wait: NextStep = { kind: 'wait', forMs: undefined };
const settled: NextStep = { kind: 'settled' };

let fakes: SwitchFakes;
afterEach(async () => {
  await fakes.stop();
});

/** Counts the calls of each activity; `steps` are the decisions of the database. */
async function start(steps: () => Promise<NextStep>, others: Partial<RequestActivities> = {}) {
  const calls = { steps: 0, sent: 0, unreachable: 0 };
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
  });
  return calls;
}

const statusOf = async (run: SwitchRun) =>
  (await run.describe()).typedSearchAttributes.get(defineSearchAttributeKey('ImportStatus', 'KEYWORD'));

test('sends requests until none is due, and returns the switch to the pages', async () => {
  const calls = await start(answersOf<NextStep>(send, send, wait));
  expect(await (await fakes.start(randomUUID())).result()).toBe('requested');
  expect(calls).toEqual({ steps: 3, sent: 2, unreachable: 0 });
});

test('ends when no request is due', async () => {
  const calls = await start(answersOf<NextStep>({ kind: 'rest', forMs: 1_000 }));
  expect(await (await fakes.start(randomUUID())).result()).toBe('requested');
  expect(calls).toEqual({ steps: 1, sent: 0, unreachable: 0 });
});

test('retries a failing network operator until the budget is exhausted, and ends with an outcome', async () => {
  const calls = await start(answersOf<NextStep>(send), {
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
  const calls = await start(answersOf<NextStep>(send, settled), {
    sendSwitchRequests: async () => {
      if ((tries += 1) < 3) throw ApplicationFailure.create({ type: 'vendor_unavailable' });
    },
  });
  const run = await fakes.start(randomUUID(), { ...shortBudget, scheduleToCloseTimeout: '1m' });
  expect(await run.result()).toBe('requested');
  expect(calls).toEqual({ steps: 2, sent: 3, unreachable: 0 });
});

test('processes signals while the network operator is unavailable', async () => {
  const calls = await start(answersOf<NextStep>(send, settled), {
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
  expect(await run.result()).toBe('requested');
  expect(calls).toEqual({ steps: 2, sent: 1, unreachable: 0 });
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
  expect(await run.result()).toBe('requested');
  expect(calls.steps).toBe(2);
});

test('retries forever while the database is unavailable', async () => {
  let tries = 0;
  const calls = await start(async () => {
    if ((tries += 1) < 4) throw ApplicationFailure.create({ type: 'database_unavailable', nextRetryDelay: '50ms' });
    return settled;
  });
  expect(await (await fakes.start(randomUUID(), shortBudget)).result()).toBe('requested');
  expect(calls).toEqual({ steps: 4, sent: 0, unreachable: 0 });
});
