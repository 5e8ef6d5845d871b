import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import {
  createCreationQueue,
  CreationNotStarted,
  type CreationQueue,
  type QueueLimits,
} from '../../src/account-import/create/create-account.queue.ts';
import { refuse } from '../../src/vocabulary/refusals.ts';
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

test('starts a request immediately and alone without a run of its supplier, and queues the next one until its end', async () => {
  const queue = queueOf({ runsInFlight: 2 });
  const requests = [submitRequest(queue, 'a'), submitRequest(queue, 'b')];
  expect(memory.open.map((run) => run.accounts)).toEqual([['a']]);
  memory.open[0]!.end([created('A-7')]);
  await flushPromises();
  expect(memory.open.map((run) => run.accounts)).toEqual([['b']]);
  expect(requests.map((request) => request.answer)).toEqual([created('A-7'), undefined]);
});

test('starts another run beside one when the waiting requests fill it', () => {
  const queue = queueOf({ runsInFlight: 2 });
  submitRequest(queue, 'first');
  for (let account = 0; account < 63; account += 1) submitRequest(queue, `${account}`);
  expect(memory.open.map((run) => run.accounts.length)).toEqual([1]);
  for (let account = 63; account < 130; account += 1) submitRequest(queue, `${account}`);
  expect(memory.open.map((run) => run.accounts.length)).toEqual([1, 64]);
});

test('starts another run with the waiting requests beside a slow one', async () => {
  const queue = queueOf({ runsInFlight: 2 });
  for (const account of ['slow', 'a', 'b']) submitRequest(queue, account);
  await jest.advanceTimersByTimeAsync(199);
  expect(memory.open.map((run) => run.accounts)).toEqual([['slow']]);
  await jest.advanceTimersByTimeAsync(1);
  expect(memory.open.map((run) => run.accounts)).toEqual([['slow'], ['a', 'b']]);
});

test('queues requests while all slots are used, and then starts them together in order, at most 64', async () => {
  const queue = queueOf();
  submitRequest(queue, 'first');
  const accounts = Array.from({ length: 100 }, (_, index) => `later-${index}`);
  for (const account of accounts) submitRequest(queue, account);
  expect(queue.state()).toEqual({ waitingRequests: 100, openRuns: 1, slotsInUse: 1 });
  memory.open[0]!.end();
  await flushPromises();
  expect(memory.open.map((run) => run.accounts)).toEqual([accounts.slice(0, 64)]);
  memory.open[0]!.end();
  await jest.advanceTimersByTimeAsync(5);
  expect(memory.open.map((run) => run.accounts)).toEqual([accounts.slice(64)]);
  expect(queue.state()).toEqual({ waitingRequests: 0, openRuns: 1, slotsInUse: 1 });
});

test('includes callers that were answered and return within a moment, and waits no longer for them', async () => {
  const queue = queueOf();
  submitRequest(queue, 'first');
  for (const account of ['a', 'b']) submitRequest(queue, account);
  memory.open[0]!.end();
  await jest.advanceTimersByTimeAsync(4);
  expect(memory.open).toEqual([]);
  submitRequest(queue, 'second');
  expect(memory.open.map((run) => run.accounts)).toEqual([['a', 'b', 'second']]);
  await flushPromises();
  memory.open[0]!.end();
  await jest.advanceTimersByTimeAsync(0);
  for (const account of ['c', 'd']) submitRequest(queue, account);
  await jest.advanceTimersByTimeAsync(4);
  expect(memory.open).toEqual([]);
  await jest.advanceTimersByTimeAsync(1);
  expect(memory.open.map((run) => run.accounts)).toEqual([['c', 'd']]);
});

test('does not wait for the callers of another supplier to return', async () => {
  const queue = queueOf();
  submitRequest(queue, 'first');
  memory.open[0]!.end();
  await jest.advanceTimersByTimeAsync(0);
  submitRequest(queue, 'a', 'BOREAL');
  expect(memory.open.map((run) => run.accounts)).toEqual([['a']]);
});

test('gives each request the outcome of its own account', async () => {
  const queue = queueOf();
  submitRequest(queue, 'first');
  const [a, b] = [submitRequest(queue, 'a'), submitRequest(queue, 'b')];
  memory.open[0]!.end();
  await flushPromises();
  memory.open[0]!.end([refuse('import_process_marked_to_skip'), created('A-2')]);
  await flushPromises();
  expect([a.answer, b.answer]).toEqual([refuse('import_process_marked_to_skip'), created('A-2')]);
});

test('answers one of ten requests for one account 201, and the others as already imported with the same number', async () => {
  const queue = queueOf();
  const requests = Array.from({ length: 10 }, () => submitRequest(queue, 'a'));
  expect(memory.open.map((run) => run.accounts)).toEqual([['a']]);
  memory.open[0]!.end([created('A-3')]);
  await flushPromises();
  expect(requests[0]!.answer).toEqual(created('A-3'));
  for (const { answer } of requests.slice(1)) {
    expect(answer).toMatchObject({
      code: 'account_import_process_already_imported',
      extras: { external_account_number: 'a', service_account_number: 'A-3' },
    });
  }
});

test('treats the same number of two suppliers as two accounts', () => {
  const queue = queueOf({ runsInFlight: 2 });
  for (const importSupplier of ['ACME', 'BOREAL']) {
    void queue.submit(
      { importSupplier, externalAccountNumber: 'a', operationsTeam: 'Migration' },
      new AbortController().signal,
    );
  }
  expect(memory.open).toHaveLength(2);
});

test.each<[string, (first: ReturnType<typeof submitRequest>) => Promise<void> | void]>([
  ['timed out', () => jest.advanceTimersByTimeAsync(LIMITS.answerTimeoutMs)],
  ['hung up', (first) => first.hangUp()],
])('joins a resend after the first caller %s to its entry, and answers it 201', async (_what, leave) => {
  const queue = queueOf();
  const first = submitRequest(queue, 'a');
  await leave(first);
  await flushPromises();
  expect(first.answer).toMatchObject({ code: 'creation_pending', retryAfterSeconds: expect.any(Number) });
  const resend = submitRequest(queue, 'a');
  expect(memory.open).toHaveLength(1);
  memory.open[0]!.end([created('A-4')]);
  await flushPromises();
  expect(resend.answer).toEqual(created('A-4'));
});

test('delivers an undelivered 201 to the next request, once, within a minute', async () => {
  const queue = queueOf();
  for (const account of ['a', 'b']) submitRequest(queue, account).hangUp();
  memory.open[0]!.end([created('A-5')]);
  await flushPromises();
  memory.open[0]!.end([created('A-6')]);
  await flushPromises();
  const resend = submitRequest(queue, 'a');
  await flushPromises();
  expect(resend.answer).toEqual(created('A-5'));
  await jest.advanceTimersByTimeAsync(5);
  submitRequest(queue, 'a');
  expect(memory.open).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(60_000);
  submitRequest(queue, 'b');
  expect(memory.open).toHaveLength(2);
});

test('delivers no 201 to a caller that disconnected before', async () => {
  const queue = queueOf();
  const gone = queue.submit(
    { importSupplier: 'ACME', externalAccountNumber: 'a', operationsTeam: 'Migration' },
    AbortSignal.abort(),
  );
  memory.open[0]!.end([created('A-1')]);
  await flushPromises();
  expect(await gone).toMatchObject({ code: 'creation_pending' });
  const resend = submitRequest(queue, 'a');
  await flushPromises();
  expect(resend.answer).toEqual(created('A-1'));
});

test('reports a rejection to all waiting callers, and does not store it', async () => {
  const queue = queueOf();
  const requests = [submitRequest(queue, 'a'), submitRequest(queue, 'a')];
  memory.open[0]!.end([refuse('import_supplier_migration_not_ongoing')]);
  await flushPromises();
  expect(requests.map(({ answer }) => answer)).toEqual(Array(2).fill(refuse('import_supplier_migration_not_ongoing')));
  submitRequest(queue, 'a');
  expect(memory.open).toHaveLength(1);
});

test.each<[string, Error, string]>([
  ['no run was started: the request may be sent again', new CreationNotStarted(), 'service_unavailable'],
  ['the outcome is unknown: the creation is pending', new Error('deadline'), 'creation_pending'],
])('when the start fails and %s', async (_what, fault, code) => {
  const queue = queueOf();
  memory.failNextStart(fault);
  const request = submitRequest(queue, 'a');
  const next = submitRequest(queue, 'b');
  await flushPromises();
  expect(request.answer).toMatchObject({ code });
  expect(memory.open.map((run) => run.accounts)).toEqual([['b']]);
  expect(next.answer).toBeUndefined();
  expect(queue.state()).toEqual({ waitingRequests: 0, openRuns: 1, slotsInUse: 1 });
});

test('answers requests of a lost run as pending, and starts a resend anew', async () => {
  const queue = queueOf();
  const request = submitRequest(queue, 'a');
  await flushPromises();
  memory.open[0]!.lose();
  await flushPromises();
  expect(request.answer).toMatchObject({ code: 'creation_pending' });
  submitRequest(queue, 'a');
  expect(memory.open).toHaveLength(1);
});

test('answers a quarantined account at the end of its batch, to all waiting callers', async () => {
  const queue = queueOf();
  submitRequest(queue, 'first');
  const [poison, joined, good] = [
    submitRequest(queue, 'poison'),
    submitRequest(queue, 'poison'),
    submitRequest(queue, 'good'),
  ];
  memory.open[0]!.end();
  await flushPromises();
  memory.open[0]!.end([{ kind: 'quarantined' }, created('A-2')]);
  await flushPromises();
  expect([poison.answer, joined.answer, good.answer]).toEqual([
    expect.objectContaining({ code: 'account_quarantined' }),
    expect.objectContaining({ code: 'account_quarantined' }),
    created('A-2'),
  ]);
  expect(queue.state()).toEqual({ waitingRequests: 0, openRuns: 0, slotsInUse: 0 });
});

test('lets a caller wait no longer than its timeout', async () => {
  const queue = queueOf();
  const request = submitRequest(queue, 'a');
  await jest.advanceTimersByTimeAsync(LIMITS.answerTimeoutMs - 1);
  expect(request.answer).toBeUndefined();
  await jest.advanceTimersByTimeAsync(1);
  expect(request.answer).toMatchObject({ code: 'creation_pending' });
});

test('is drained when the last request is answered', async () => {
  const queue = queueOf();
  await queue.drained();
  submitRequest(queue, 'a');
  const late = submitRequest(queue, 'b');
  let isDrained = false;
  void queue.drained().then(() => {
    isDrained = true;
  });
  memory.open[0]!.end();
  await flushPromises();
  expect(isDrained).toBe(false);
  late.hangUp();
  await flushPromises();
  expect(isDrained).toBe(true);
});
