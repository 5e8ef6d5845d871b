import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { receiverFailure } from '../../activities/failures.ts';
import { deliveryPace, type DeliveryBudget } from '../../temporal.config.ts';
import type { DeliveryProgress } from '../../src/events/event.rules.ts';
import { until } from '../support/until.ts';
import { shortBudget, startDeliveryFakes, type DeliveryFakes } from './delivery-fakes.ts';

let fakes: DeliveryFakes;
let deliver: (count: number) => Promise<DeliveryProgress>;
let calls: { delivered: number; unreachable: number };
let run: WorkflowHandle | undefined;
beforeAll(async () => {
  fakes = await startDeliveryFakes(process.env['TEST_TEMPORAL_ADDRESS'] as string, {
    deliverSomeEvents: () => deliver((calls.delivered += 1)),
    noteReceiverUnreachable: async () => {
      calls.unreachable += 1;
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

async function start(next: typeof deliver, budget?: DeliveryBudget) {
  deliver = next;
  calls = { delivered: 0, unreachable: 0 };
  const handle = await fakes.start(budget);
  run = fakes.client.workflow.getHandle(handle.workflowId);
  return handle;
}

test.each(['done', 'ended'] as const)(
  'delivers until it is %s, with a backoff while the receiver fails',
  async (end) => {
    const handle = await start(async (count) => {
      if (count === 2) throw receiverFailure('The receiver responded with status 503.');
      return count < 4 ? 'more' : end;
    });
    expect(await handle.result()).toBe(end);
    expect(calls).toEqual({ delivered: 4, unreachable: 0 });
  },
);

test('records a receiver that fails for the whole budget, and ends', async () => {
  const handle = await start(async () => {
    throw receiverFailure('The receiver responded with status 503.');
  }, shortBudget);
  expect(await handle.result()).toBe('unreachable');
  expect(calls.unreachable).toBe(1);
});

test('continues a long run as a new one', async () => {
  const handle = await start(async (count) => (count <= deliveryPace.roundsPerRun ? 'more' : 'done'));
  expect(await handle.result()).toBe('done');
  expect(calls.delivered).toBe(deliveryPace.roundsPerRun + 1);
});

test('records nothing when it is cancelled', async () => {
  const handle = await start(async () => 'more');
  await until(() => calls.delivered > 0);
  await handle.cancel();
  await expect(handle.result()).rejects.toThrow(WorkflowFailedError);
  expect(calls.unreachable).toBe(0);
});
