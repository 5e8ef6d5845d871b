import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import {
  createCreationQueue,
  type CreationQueue,
  type QueueLimits,
} from '../../src/account-import/create/create-account.queue.ts';
import { CreationNotStarted } from '../../src/account-import/create/creation-batches.queue.ts';
import { refuse } from '../../src/vocabulary/refusals.ts';
import { ask, created, LIMITS, memoryRuns, flushPromises } from '../support/creation-runs.ts';

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

test('a request starts at once, alone, when no run of its supplier is under way; the next one waits for its end', async () => {
  const queue = queueOf({ runsInFlight: 2 });
  const requests = [ask(queue, 'a'), ask(queue, 'b')];
  expect(memory.open.map((run) => run.accounts)).toEqual([['a']]);
  memory.open[0]!.end([created('A-7')]);
  await flushPromises();
  expect(memory.open.map((run) => run.accounts)).toEqual([['b']]);
  expect(requests.map((request) => request.answer)).toEqual([created('A-7'), undefined]);
});

test('beside a run a further one starts when what waits fills it', () => {
  const queue = queueOf({ runsInFlight: 2 });
  ask(queue, 'first');
  for (let account = 0; account < 63; account += 1) ask(queue, `${account}`);
  expect(memory.open.map((run) => run.accounts.length)).toEqual([1]);
  for (let account = 63; account < 130; account += 1) ask(queue, `${account}`);
  expect(memory.open.map((run) => run.accounts.length)).toEqual([1, 64]);
});

test('beside a run that takes long a further one starts with what waits', async () => {
  const queue = queueOf({ runsInFlight: 2 });
  for (const account of ['slow', 'a', 'b']) ask(queue, account);
  await jest.advanceTimersByTimeAsync(199);
  expect(memory.open.map((run) => run.accounts)).toEqual([['slow']]);
  await jest.advanceTimersByTimeAsync(1);
  expect(memory.open.map((run) => run.accounts)).toEqual([['slow'], ['a', 'b']]);
});

test('while all places are taken requests wait, and then go together, 64 at most, in the order in which they came', async () => {
  const queue = queueOf();
  ask(queue, 'first');
  const accounts = Array.from({ length: 100 }, (_, index) => `later-${index}`);
  for (const account of accounts) ask(queue, account);
  expect(queue.state()).toEqual({ waitingRequests: 100, openRuns: 1, placesTaken: 1 });
  memory.open[0]!.end();
  await flushPromises();
  expect(memory.open.map((run) => run.accounts)).toEqual([accounts.slice(0, 64)]);
  memory.open[0]!.end();
  await jest.advanceTimersByTimeAsync(5);
  expect(memory.open.map((run) => run.accounts)).toEqual([accounts.slice(64)]);
  expect(queue.state()).toEqual({ waitingRequests: 0, openRuns: 1, placesTaken: 1 });
});

test('those who were answered and come back within a moment go with those who wait; nobody waits longer for them', async () => {
  const queue = queueOf();
  ask(queue, 'first');
  for (const account of ['a', 'b']) ask(queue, account);
  memory.open[0]!.end();
  await jest.advanceTimersByTimeAsync(4);
  expect(memory.open).toEqual([]);
  ask(queue, 'second');
  expect(memory.open.map((run) => run.accounts)).toEqual([['a', 'b', 'second']]);
  await flushPromises();
  memory.open[0]!.end();
  await jest.advanceTimersByTimeAsync(0);
  for (const account of ['c', 'd']) ask(queue, account);
  await jest.advanceTimersByTimeAsync(4);
  expect(memory.open).toEqual([]);
  await jest.advanceTimersByTimeAsync(1);
  expect(memory.open.map((run) => run.accounts)).toEqual([['c', 'd']]);
});

test('nobody waits for the callers of another supplier to come back', async () => {
  const queue = queueOf();
  ask(queue, 'first');
  memory.open[0]!.end();
  await jest.advanceTimersByTimeAsync(0);
  ask(queue, 'a', 'BOREAL');
  expect(memory.open.map((run) => run.accounts)).toEqual([['a']]);
});

test('each request gets the answer of its own account', async () => {
  const queue = queueOf();
  ask(queue, 'first');
  const [a, b] = [ask(queue, 'a'), ask(queue, 'b')];
  memory.open[0]!.end();
  await flushPromises();
  memory.open[0]!.end([refuse('import_process_marked_to_skip'), created('A-2')]);
  await flushPromises();
  expect([a.answer, b.answer]).toEqual([refuse('import_process_marked_to_skip'), created('A-2')]);
});

test('of ten requests for one account one is answered 201, the others already imported with the same number', async () => {
  const queue = queueOf();
  const requests = Array.from({ length: 10 }, () => ask(queue, 'a'));
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

test('the same number of two suppliers are two accounts', () => {
  const queue = queueOf({ runsInFlight: 2 });
  for (const importSupplier of ['ACME', 'BOREAL']) {
    void queue.submit(
      { importSupplier, externalAccountNumber: 'a', operationsTeam: 'Migration' },
      new AbortController().signal,
    );
  }
  expect(memory.open).toHaveLength(2);
});

test.each<[string, (first: ReturnType<typeof ask>) => Promise<void> | void]>([
  ['timed out', () => jest.advanceTimersByTimeAsync(LIMITS.answerTimeoutMs)],
  ['hung up', (first) => first.hangUp()],
])('a resend after the first caller %s joins its entry and gets the 201', async (_what, leave) => {
  const queue = queueOf();
  const first = ask(queue, 'a');
  await leave(first);
  await flushPromises();
  expect(first.answer).toMatchObject({ code: 'creation_pending', retryAfterSeconds: expect.any(Number) });
  const resend = ask(queue, 'a');
  expect(memory.open).toHaveLength(1);
  memory.open[0]!.end([created('A-4')]);
  await flushPromises();
  expect(resend.answer).toEqual(created('A-4'));
});

test('a 201 that nobody took is owed to the next request, once, for a minute', async () => {
  const queue = queueOf();
  for (const account of ['a', 'b']) ask(queue, account).hangUp();
  memory.open[0]!.end([created('A-5')]);
  await flushPromises();
  memory.open[0]!.end([created('A-6')]);
  await flushPromises();
  const resend = ask(queue, 'a');
  await flushPromises();
  expect(resend.answer).toEqual(created('A-5'));
  await jest.advanceTimersByTimeAsync(5);
  ask(queue, 'a');
  expect(memory.open).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(60_000);
  ask(queue, 'b');
  expect(memory.open).toHaveLength(2);
});

test('a caller that hung up before it was heard takes no 201', async () => {
  const queue = queueOf();
  const gone = queue.submit(
    { importSupplier: 'ACME', externalAccountNumber: 'a', operationsTeam: 'Migration' },
    AbortSignal.abort(),
  );
  memory.open[0]!.end([created('A-1')]);
  await flushPromises();
  expect(await gone).toMatchObject({ code: 'creation_pending' });
  const resend = ask(queue, 'a');
  await flushPromises();
  expect(resend.answer).toEqual(created('A-1'));
});

test('a refusal is told to all who wait and is not kept', async () => {
  const queue = queueOf();
  const requests = [ask(queue, 'a'), ask(queue, 'a')];
  memory.open[0]!.end([refuse('import_supplier_migration_not_ongoing')]);
  await flushPromises();
  expect(requests.map(({ answer }) => answer)).toEqual(Array(2).fill(refuse('import_supplier_migration_not_ongoing')));
  ask(queue, 'a');
  expect(memory.open).toHaveLength(1);
});

test.each<[string, Error, string]>([
  ['nothing was started: the request may be sent again', new CreationNotStarted(), 'service_unavailable'],
  ['nobody knows whether it started: the creation is pending', new Error('deadline'), 'creation_pending'],
])('when the start fails and %s', async (_what, fault, code) => {
  const queue = queueOf();
  memory.failNextStart(fault);
  const request = ask(queue, 'a');
  const next = ask(queue, 'b');
  await flushPromises();
  expect(request.answer).toMatchObject({ code });
  expect(memory.open.map((run) => run.accounts)).toEqual([['b']]);
  expect(next.answer).toBeUndefined();
  expect(queue.state()).toEqual({ waitingRequests: 0, openRuns: 1, placesTaken: 1 });
});

test('when a run is lost its requests are pending, and a resend starts anew', async () => {
  const queue = queueOf();
  const request = ask(queue, 'a');
  await flushPromises();
  memory.open[0]!.lose();
  await flushPromises();
  expect(request.answer).toMatchObject({ code: 'creation_pending' });
  ask(queue, 'a');
  expect(memory.open).toHaveLength(1);
});

test('a quarantined account is answered at the end of its batch, to all that wait for it', async () => {
  const queue = queueOf();
  ask(queue, 'first');
  const [poison, joined, good] = [ask(queue, 'poison'), ask(queue, 'poison'), ask(queue, 'good')];
  memory.open[0]!.end();
  await flushPromises();
  memory.open[0]!.end([{ kind: 'quarantined' }, created('A-2')]);
  await flushPromises();
  expect([poison.answer, joined.answer, good.answer]).toEqual([
    expect.objectContaining({ code: 'account_quarantined' }),
    expect.objectContaining({ code: 'account_quarantined' }),
    created('A-2'),
  ]);
  expect(queue.state()).toEqual({ waitingRequests: 0, openRuns: 0, placesTaken: 0 });
});

test('a caller waits no longer than its patience', async () => {
  const queue = queueOf();
  const request = ask(queue, 'a');
  await jest.advanceTimersByTimeAsync(LIMITS.answerTimeoutMs - 1);
  expect(request.answer).toBeUndefined();
  await jest.advanceTimersByTimeAsync(1);
  expect(request.answer).toMatchObject({ code: 'creation_pending' });
});

test('it is drained when the last request has its answer', async () => {
  const queue = queueOf();
  await queue.drained();
  ask(queue, 'a');
  const late = ask(queue, 'b');
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
