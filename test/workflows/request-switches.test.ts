import { afterEach, expect, test } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import type { PendingSwitches } from '../../src/switching/switch-page.store.ts';
import { until } from '../support/until.ts';
import { answersOf, due, nothing, signalled, startSwitchFakes, type SwitchFakes } from './switch-fakes.ts';

const address = process.env['TEST_TEMPORAL_ADDRESS'] as string;

let fakes: SwitchFakes;
afterEach(async () => {
  await fakes.stop();
});

interface Fake {
  messages: () => Promise<PendingSwitches>;
  requests?: () => Promise<PendingSwitches>;
  end?: () => Promise<number | null>;
}

/** Counts the pages of each kind. */
async function start({ messages, requests = async () => nothing, end = async () => null }: Fake) {
  const calls = { messages: 0, requests: 0, ends: 0 };
  fakes = await startSwitchFakes(address, {
    applySwitchMessages: async () => {
      calls.messages += 1;
      return messages();
    },
    requestDueSwitches: async () => {
      calls.requests += 1;
      return requests();
    },
    endSwitchPages: async () => {
      calls.ends += 1;
      return end();
    },
  });
  return calls;
}

test('works off messages and requests while some are due, and ends', async () => {
  const calls = await start({ messages: answersOf(signalled, due), requests: answersOf(due, due, nothing) });
  await (await fakes.startPages()).result();
  expect(calls).toEqual({ messages: 2, requests: 3, ends: 1 });
});

test('stays open until a switch is due soon', async () => {
  const calls = await start({ messages: answersOf(nothing, due), end: answersOf<number | null>(0.2, null) });
  await (await fakes.startPages()).result();
  expect(calls).toEqual({ messages: 2, requests: 1, ends: 2 });
});

test('applies messages while a page of requests waits for the industry switch', async () => {
  const answer = Promise.withResolvers<PendingSwitches>();
  const calls = await start({ messages: answersOf(due, nothing), requests: () => answer.promise });
  const run = await fakes.startPages();
  await until(() => calls.requests === 1);
  for (let sent = 1; sent <= 3; sent += 1) {
    await run.signal('wake');
    await until(() => calls.messages === 1 + sent);
  }
  expect(calls).toMatchObject({ requests: 1, ends: 0 });
  answer.resolve(nothing);
  await run.result();
});

test('shows the failure of the industry switch in the pending page of requests, and continues after it', async () => {
  let isDown = true;
  const calls = await start({
    messages: answersOf(due, nothing),
    requests: async () => {
      if (isDown) throw ApplicationFailure.create({ type: 'vendor_unavailable', nextRetryDelay: '100ms' });
      return nothing;
    },
  });
  const run = await fakes.startPages();
  const failure = async () =>
    (await run.describe()).raw.pendingActivities?.[0]?.lastFailure?.applicationFailureInfo?.type;
  await until(async () => (await failure()) === 'vendor_unavailable');
  await run.signal('wake');
  await until(() => calls.messages === 2);
  isDown = false;
  await run.result();
});

test('keeps signals that arrive during the last step', async () => {
  const reached = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const calls = await start({
    messages: async () => nothing,
    end: async () => {
      reached.resolve();
      await goOn.promise;
      return null;
    },
  });
  const run = await fakes.startPages();
  await reached.promise;
  await run.signal('wake');
  goOn.resolve();
  await run.result();
  expect(calls).toMatchObject({ messages: 2, ends: 2 });
});

test('continues as a new run before its history grows, and loses no signal', async () => {
  let sent = 0;
  let read = 0;
  const calls = await start({
    messages: async () => {
      read = sent;
      return nothing;
    },
    end: async () => (sent < 12 ? 60 : null),
  });
  const run = await fakes.startPages({ eventsPerRun: 30 });
  const first = (await run.describe()).runId;
  const latest = fakes.client.workflow.getHandle(run.workflowId);
  await until(() => calls.messages > 0);
  while (sent < 12) {
    sent += 1;
    await latest.signal('wake');
    await until(() => read === sent);
  }
  await until(async () => (await latest.describe()).status.name === 'COMPLETED');
  const { runId, historyLength } = await latest.describe();
  expect(runId).not.toBe(first);
  expect(historyLength).toBeLessThan(80);
});
