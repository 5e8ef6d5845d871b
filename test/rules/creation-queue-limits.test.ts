import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import fc from '../support/random-seed.ts';
import {
  createCreationQueue,
  CreationNotStarted,
  type CreationQueue,
  type QueueLimits,
} from '../../src/account-import/create/create-account.queue.ts';
import { submitRequest, created, LIMITS, memoryRuns, flushPromises } from '../support/creation-runs.ts';

let memory: ReturnType<typeof memoryRuns>;
beforeEach(() => {
  jest.useFakeTimers();
  memory = memoryRuns();
});
afterEach(() => {
  jest.useRealTimers();
});

function queueOf(limits: Partial<QueueLimits> = {}): CreationQueue {
  return createCreationQueue(memory.runs, { ...LIMITS, ...limits });
}

test('releases the slot of a slow run, so that waiting batches do not block the others', async () => {
  const queue = queueOf();
  const slow = submitRequest(queue, 'a');
  const next = submitRequest(queue, 'b');
  await jest.advanceTimersByTimeAsync(LIMITS.slotTimeoutMs - 1);
  expect(memory.open).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(1);
  expect(memory.open.map((run) => run.accounts)).toEqual([['a'], ['b']]);
  memory.open[1]!.end([created('A-2')]);
  memory.open[0]!.end([created('A-1')]);
  await flushPromises();
  expect([slow.answer, next.answer]).toEqual([created('A-1'), created('A-2')]);
  expect(queue.state()).toEqual({ waitingRequests: 0, openRuns: 0, slotsInUse: 0 });
});

test('opens no more runs than allowed, however long they take', async () => {
  const queue = queueOf({ runsOpenMax: 3, batchSize: 1 });
  for (let account = 0; account < 10; account += 1) submitRequest(queue, `${account}`);
  await jest.advanceTimersByTimeAsync(10 * LIMITS.slotTimeoutMs);
  expect(memory.open).toHaveLength(3);
  memory.open[1]!.end();
  await flushPromises();
  expect(memory.open.map((run) => run.accounts)).toEqual([['0'], ['2'], ['3']]);
});

test('puts accounts of one import supplier into a batch, and alternates suppliers, however much one of them sends', async () => {
  const queue = queueOf({ batchSize: 3 });
  submitRequest(queue, 'first');
  for (let index = 0; index < 9; index += 1) submitRequest(queue, `many-${index}`);
  const others = ['BOREAL', 'CELSIUS'].map((supplier) => submitRequest(queue, 'one', supplier));
  const batches: string[][] = [];
  while (memory.open.length > 0) {
    const [run] = memory.open;
    batches.push(run!.entries.map((entry) => `${entry.importSupplier} ${entry.externalAccountNumber}`));
    run!.end();
    await flushPromises();
  }
  expect(batches).toEqual([
    ['ACME first'],
    ['BOREAL one'],
    ['ACME many-0', 'ACME many-1', 'ACME many-2'],
    ['CELSIUS one'],
    ['ACME many-3', 'ACME many-4', 'ACME many-5'],
    ['ACME many-6', 'ACME many-7', 'ACME many-8'],
  ]);
  expect(others.every(({ answer }) => answer?.kind === 'created')).toBe(true);
});

test('starts a supplier without a slot immediately, even while another holds all slots', async () => {
  const queue = queueOf({ runsInFlight: 2 });
  for (const account of ['a', 'b']) submitRequest(queue, account);
  await jest.advanceTimersByTimeAsync(200);
  submitRequest(queue, 'c');
  for (const supplier of ['BOREAL', 'CELSIUS', 'DELTA']) submitRequest(queue, 'a', supplier);
  expect(memory.open.map((run) => run.entries[0]!.importSupplier)).toEqual(['ACME', 'ACME', 'BOREAL', 'CELSIUS']);
  expect(queue.state()).toEqual({ waitingRequests: 2, openRuns: 4, slotsInUse: 4 });
});

test('leaves runs and capacity to other suppliers when the runs of one hang and its requests pile up', async () => {
  const queue = queueOf({ runsOpenMax: 8, requestsWaitingMax: 8, batchSize: 1, answerTimeoutMs: 3_600_000 });
  const many = Array.from({ length: 40 }, (_, account) => submitRequest(queue, `${account}`));
  await jest.advanceTimersByTimeAsync(10 * LIMITS.slotTimeoutMs);
  for (let account = 40; account < 80; account += 1) many.push(submitRequest(queue, `${account}`));
  await flushPromises();
  expect(memory.open).toHaveLength(6);
  expect(queue.state().waitingRequests).toBe(6);
  expect(many.filter(({ answer }) => answer?.kind === 'refused' && answer.code === 'service_unavailable')).toHaveLength(
    68,
  );

  const other = submitRequest(queue, 'a', 'BOREAL');
  expect(memory.open.at(-1)!.entries[0]!.importSupplier).toBe('BOREAL');
  memory.open.at(-1)!.end([created('A-1')]);
  await flushPromises();
  expect(other.answer).toEqual(created('A-1'));
});

test('rejects a request beyond the maximum of waiting ones immediately, except one that joins', async () => {
  const queue = queueOf({ requestsWaitingMax: 2 });
  submitRequest(queue, 'started');
  const waiting = [submitRequest(queue, 'a'), submitRequest(queue, 'b')];
  const [refused, joined] = [submitRequest(queue, 'c'), submitRequest(queue, 'started')];
  await flushPromises();
  expect(refused.answer).toMatchObject({ code: 'service_unavailable', retryAfterSeconds: expect.any(Number) });
  expect([...waiting, joined].map(({ answer }) => answer)).toEqual([undefined, undefined, undefined]);
});

test('counts entries of disconnected callers, so that an outage of an hour does not fill the memory', async () => {
  const queue = queueOf({ requestsWaitingMax: 2, slotTimeoutMs: 3_600_000, answerTimeoutMs: 1_000 });
  submitRequest(queue, 'started');
  for (let second = 0; second < 100; second += 1) {
    submitRequest(queue, `account-${second}`);
    await jest.advanceTimersByTimeAsync(1_000);
  }
  const refused = submitRequest(queue, 'one more');
  const resend = submitRequest(queue, 'account-1');
  await flushPromises();
  expect([refused.answer, resend.answer]).toEqual([
    expect.objectContaining({ code: 'service_unavailable' }),
    undefined,
  ]);
  memory.open[0]!.end();
  await flushPromises();
  expect(memory.open.map((run) => run.accounts)).toEqual([['account-0', 'account-1']]);
});

type Step =
  | { do: 'ask'; account: number; supplier: string }
  | { do: 'hang up' | 'end' | 'lose' | 'quarantine'; which: number }
  | { do: 'wait'; ms: number }
  | { do: 'fail next start'; known: boolean };
const which = fc.nat({ max: 30 });
const steps = fc.array(
  fc.oneof<fc.Arbitrary<Step>[]>(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('ask' as const),
        account: fc.nat({ max: 8 }),
        supplier: fc.constantFrom('ACME', 'BOREAL'),
      }),
    } as never,
    fc.record({
      do: fc.constantFrom('hang up' as const, 'end' as const, 'lose' as const, 'quarantine' as const),
      which,
    }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 500, 2_000, 30_000) }),
    fc.record({ do: fc.constant('fail next start' as const), known: fc.boolean() }),
  ),
  { maxLength: 60 },
);

test('in random sequences: respects limits, puts no account into two runs, answers every request once, and returns no number as 201 twice', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      memory = memoryRuns();
      const limits = { ...LIMITS, runsInFlight: 2, batchSize: 3, runsOpenMax: 4, requestsWaitingMax: 6 };
      const queue = queueOf(limits);
      const requests: ReturnType<typeof submitRequest>[] = [];
      const pick = <T>(all: readonly T[], at: number) => all[at % Math.max(1, all.length)];
      const take = (step: Step) => {
        if (step.do === 'ask') requests.push(submitRequest(queue, `${step.supplier}-${step.account}`, step.supplier));
        else if (step.do === 'hang up') pick(requests, step.which)?.hangUp();
        else if (step.do === 'end') pick(memory.open, step.which)?.end();
        else if (step.do === 'lose') pick(memory.open, step.which)?.lose();
        else if (step.do === 'quarantine') {
          pick(memory.open, step.which)?.end(
            pick(memory.open, step.which)?.entries.map(() => ({ kind: 'quarantined' })),
          );
        } else if (step.do === 'fail next start') {
          memory.failNextStart(step.known ? new CreationNotStarted() : new Error('deadline'));
        }
        // Callers that were just answered are expected back for a moment.
        return jest.advanceTimersByTimeAsync(step.do === 'wait' ? step.ms : 5);
      };
      for (const step of script) {
        await take(step);
        const { waitingRequests, openRuns, slotsInUse } = queue.state();
        expect(openRuns).toBe(memory.open.length);
        expect(openRuns).toBeLessThanOrEqual(limits.runsOpenMax);
        expect(slotsInUse).toBeLessThanOrEqual(2 * limits.runsInFlight);
        expect(waitingRequests).toBeLessThanOrEqual(limits.requestsWaitingMax);
        if (waitingRequests > 0) {
          // Beside a recent run only a full one starts.
          const placesMin = step.do === 'wait' && step.ms >= 500 ? limits.runsInFlight : 1;
          expect(slotsInUse >= placesMin || openRuns >= limits.runsOpenMax - 1).toBe(true);
        }
        for (const run of memory.open) {
          expect(run.entries.length).toBeLessThanOrEqual(limits.batchSize);
          expect(new Set(run.entries.map((entry) => entry.importSupplier)).size).toBe(1);
        }
        const inRuns = memory.open.flatMap((run) => run.accounts);
        expect(new Set(inRuns).size).toBe(inRuns.length);
      }
      while (memory.open.length > 0) await take({ do: 'end', which: 0 });
      await jest.advanceTimersByTimeAsync(limits.answerTimeoutMs);
      expect(requests.filter(({ answer }) => answer === undefined)).toEqual([]);
      expect(queue.state()).toEqual({ waitingRequests: 0, openRuns: 0, slotsInUse: 0 });
      await queue.drained();
      const numbers = requests.flatMap(({ answer }) =>
        answer?.kind === 'created' ? [answer.serviceAccountNumber] : [],
      );
      expect(new Set(numbers).size).toBe(numbers.length);
    }),
    { numRuns: 300 },
  );
});
