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

// One worker for all tests: the queue has a fixed name, and a worker that was shut down may still receive an attempt.
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

/** Sets the fake activities. @returns the outcomes that are completed from now on */
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
])('%s: stores the answer once, and returns the stored outcome', async (_what, answer) => {
  const completions = layOut(
    async () => answer,
    async () => ({ kind: 'rejected', reason: 'written' }),
  );
  const input = inputOf(60_000);
  const handle = await fakes.startVerification(input);
  expect(await handle.result()).toEqual({ kind: 'rejected', reason: 'written' });
  expect(completions).toEqual([{ verificationId: input.verificationId, workflowId: handle.workflowId, answer }]);
});

test('retries a temporary failure as one activity, with the vendor in its summary and the type in its failure', async () => {
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
    currentDetails: expect.stringContaining('Checks with STRIPE'),
  });
  isBack = true;
  expect(await handle.result()).toEqual(verified);
  expect(completions).toHaveLength(1);
});

test.each(['vendor_unavailable', 'vendor_busy', 'vendor_misconfigured', 'payment_instruction_not_yet', 'error'])(
  'ends as unreachable with the reason %s when it uses up the budget',
  async (type) => {
    const completions = layOut(async () => {
      throw failure(type);
    });
    await (await fakes.startVerification(inputOf(800))).result();
    expect(completions.map(({ answer }) => answer)).toEqual([{ kind: 'unreachable', reason: type }]);
  },
);

test('ends when the backoff exceeds the rest of the budget', async () => {
  const completions = layOut(async () => {
    throw failure('vendor_busy', 3_600_000);
  });
  await (await fakes.startVerification(inputOf(2_000))).result();
  expect(completions.map(({ answer }) => answer)).toEqual([{ kind: 'unreachable', reason: 'vendor_busy' }]);
});

test('limits a hanging attempt to the budget', async () => {
  const hanging = Promise.withResolvers<VerificationAnswer>();
  const completions = layOut(() => hanging.promise);
  await (await fakes.startVerification(inputOf(700))).result();
  expect(completions.map(({ answer }) => answer)).toEqual([{ kind: 'unreachable', reason: 'timeout' }]);
  hanging.resolve({ kind: 'usable' });
});

test('starts a new budget when our database used up the first one', async () => {
  const awayUntil = Date.now() + 1_500;
  const completions = layOut(async () => {
    if (Date.now() < awayUntil) throw failure('database_unavailable');
    return { kind: 'usable' };
  });
  await (await fakes.startVerification(inputOf(800))).result();
  expect(completions.map(({ answer }) => answer)).toEqual([{ kind: 'usable' }]);
});

test('retries to store an outcome without calling the vendor again', async () => {
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

test('completes nothing when it is cancelled', async () => {
  const completions = layOut(async () => {
    throw failure('vendor_unavailable');
  });
  const handle = await fakes.startVerification(inputOf(60_000));
  await until(async () => ((await handle.describe()).raw.pendingActivities?.[0]?.attempt ?? 0) >= 2);
  await handle.cancel();
  await expect(handle.result()).rejects.toThrow(WorkflowFailedError);
  expect(completions).toEqual([]);
});
