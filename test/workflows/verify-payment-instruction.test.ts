import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure, WorkflowFailedError } from '@temporalio/client';
import type {
  VerificationAnswer,
  VerificationInput,
  VerificationOutcome,
} from '../../src/payment-instructions/payment-instruction.rules.ts';
import { until } from '../support/until.ts';
import { startFakes, type Fakes } from './fakes.ts';

// One worker for all tests: the queue has a fixed name, and a worker that was shut down may still be handed an attempt.
let fakes: Fakes;
let ask: (attempt: number) => Promise<VerificationAnswer>;
let complete: (given: Completion) => Promise<VerificationOutcome>;
beforeAll(async () => {
  fakes = await startFakes(process.env['TEST_TEMPORAL_ADDRESS'] as string, {
    askPaymentVendor: async () => ask(activityInfo().attempt),
    completePaymentVerification: async (given) => complete(given),
  });
});
afterAll(async () => {
  await fakes.stop();
});

interface Completion {
  verificationId: string;
  workflowId: string;
  answer: VerificationAnswer;
}

const inputOf = (budgetMs: number): VerificationInput => ({
  verificationId: randomUUID(),
  importSupplier: 'ACME',
  externalAccountNumber: 'E-1',
  vendor: 'STRIPE',
  budgetMs,
});
const failure = (type: string, nextRetryDelay = 300) =>
  ApplicationFailure.create({ type, message: `fake ${type}`, nextRetryDelay });
const verified: VerificationOutcome = { kind: 'verified' };

/** Lays out what the activities do; returns what is completed from now on. */
function layOut(
  nextAsk: (attempt: number) => Promise<VerificationAnswer>,
  nextCompletion: (given: Completion) => Promise<VerificationOutcome> = async () => verified,
): Completion[] {
  const completions: Completion[] = [];
  ask = nextAsk;
  complete = async (given) => {
    completions.push(given);
    return nextCompletion(given);
  };
  return completions;
}

test.each<[string, VerificationAnswer]>([
  ['yes', { kind: 'usable' }],
  ['no for good', { kind: 'refused', reason: 'cancelled' }],
  ['settled by an earlier run', { kind: 'settled' }],
])('%s: the answer is written down once, and what was written is the result', async (_what, answer) => {
  const completions = layOut(
    async () => answer,
    async () => ({ kind: 'rejected', reason: 'written' }),
  );
  const input = inputOf(60_000);
  const handle = await fakes.startVerification(input);
  expect(await handle.result()).toEqual({ kind: 'rejected', reason: 'written' });
  expect(completions).toEqual([{ verificationId: input.verificationId, workflowId: handle.workflowId, answer }]);
});

test('a temporary failure is retried as one activity, whose summary names the vendor and whose failure its class', async () => {
  let isBack = false;
  const completions = layOut(async () => {
    if (!isBack) throw failure('vendor_unavailable');
    return { kind: 'usable' };
  });
  const handle = await fakes.startVerification(inputOf(60_000));
  await until(async () => ((await handle.describe()).raw.pendingActivities?.[0]?.attempt ?? 0) >= 3);
  const { raw } = await handle.describe();
  expect(raw.pendingActivities).toMatchObject([
    {
      activityType: { name: 'askPaymentVendor' },
      lastFailure: { message: 'fake vendor_unavailable', applicationFailureInfo: { type: 'vendor_unavailable' } },
    },
  ]);
  expect(await handle.query('__temporal_workflow_metadata')).toMatchObject({
    currentDetails: expect.stringContaining('Asks STRIPE'),
  });
  isBack = true;
  expect(await handle.result()).toEqual(verified);
  expect(completions).toHaveLength(1);
});

test.each(['vendor_unavailable', 'vendor_busy', 'vendor_misconfigured', 'payment_instruction_not_yet', 'error'])(
  'a budget spent on %s ends as unreachable with that class',
  async (type) => {
    const completions = layOut(async () => {
      throw failure(type);
    });
    await (await fakes.startVerification(inputOf(800))).result();
    expect(completions.map(({ answer }) => answer)).toEqual([{ kind: 'unreachable', reason: type }]);
  },
);

test('a pause that is longer than what is left of the budget ends it', async () => {
  const completions = layOut(async () => {
    throw failure('vendor_busy', 3_600_000);
  });
  await (await fakes.startVerification(inputOf(2_000))).result();
  expect(completions.map(({ answer }) => answer)).toEqual([{ kind: 'unreachable', reason: 'vendor_busy' }]);
});

test('an attempt that never ends uses the budget up and no more', async () => {
  const hanging = Promise.withResolvers<VerificationAnswer>();
  const completions = layOut(() => hanging.promise);
  await (await fakes.startVerification(inputOf(700))).result();
  expect(completions.map(({ answer }) => answer)).toEqual([{ kind: 'unreachable', reason: 'timeout' }]);
  hanging.resolve({ kind: 'usable' });
});

test("our own database uses nobody's budget up: after one spent on it the vendor is asked further", async () => {
  const awayUntil = Date.now() + 1_500;
  const completions = layOut(async () => {
    if (Date.now() < awayUntil) throw failure('database_unavailable');
    return { kind: 'usable' };
  });
  await (await fakes.startVerification(inputOf(800))).result();
  expect(completions.map(({ answer }) => answer)).toEqual([{ kind: 'usable' }]);
});

test('an outcome that cannot be written down is tried until it can, and the vendor is not asked again for it', async () => {
  let asked = 0;
  let tries = 0;
  layOut(
    async () => {
      asked += 1;
      return { kind: 'usable' };
    },
    async () => {
      tries += 1;
      if (tries < 3) throw failure('database_unavailable');
      return verified;
    },
  );
  expect(await (await fakes.startVerification(inputOf(60_000))).result()).toEqual(verified);
  expect([asked, tries]).toEqual([1, 3]);
});

test('a run that somebody cancels completes nothing', async () => {
  const completions = layOut(async () => {
    throw failure('vendor_unavailable');
  });
  const handle = await fakes.startVerification(inputOf(60_000));
  await until(async () => ((await handle.describe()).raw.pendingActivities?.[0]?.attempt ?? 0) >= 2);
  await handle.cancel();
  await expect(handle.result()).rejects.toThrow(WorkflowFailedError);
  expect(completions).toEqual([]);
});
