import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import {
  createCreationQueue,
  CreationNotStarted,
  type CreationQueue,
} from '../../src/account-import/create/create-account.queue.ts';
import type { CreationEntry } from '../../src/account-import/create/create-account.rules.ts';
import { shareRuns, type SharedRuns } from '../../src/account-import/create/shared-runs.queue.ts';
import { isRefused, refuse } from '../../src/vocabulary/refusals.ts';
import { created, flushPromises, LIMITS, memoryRuns, submitRequest } from '../support/creation-runs.ts';

// API processes that share the runs of a supplier; messages arrive at every process, as notifications of Postgres do.

interface Process {
  memory: ReturnType<typeof memoryRuns>;
  shared: SharedRuns;
  queue: CreationQueue;
}

let processes: Process[];
let isCut: (from: Process) => boolean;
let isDeaf: (to: Process) => boolean;

beforeEach(() => {
  jest.useFakeTimers();
  processes = [];
  isCut = () => false;
  isDeaf = () => false;
});
afterEach(() => {
  jest.useRealTimers();
});

function startProcess(): Process {
  const memory = memoryRuns();
  const shared: SharedRuns = shareRuns({
    runs: memory.runs,
    send: async (payload) => {
      if (isCut(own)) throw new Error('the database is away');
      for (const receiver of processes) if (!isDeaf(receiver)) receiver.shared.receive(payload);
    },
    create: (request, hungUp) => own.queue.submit(request, hungUp),
  });
  const own: Process = { memory, shared, queue: createCreationQueue(shared, LIMITS) };
  processes.push(own);
  return own;
}

/** Starts two processes that both create accounts; returns the one that gets the batches of the other first. */
async function startTwo(): Promise<{ leader: Process; follower: Process }> {
  const [one, other] = [startProcess(), startProcess()];
  // The first report of a process has not been received by itself; the second one says that it was.
  for (const account of ['first', 'second']) {
    for (const { queue } of [one, other]) submitRequest(queue, account);
    await endAll();
    await jest.advanceTimersByTimeAsync(500);
  }
  const [leader] = await leaderAmong([one, other]);
  return { leader: leader!, follower: leader === one ? other : one };
}

async function endAll(): Promise<void> {
  for (const { memory } of processes) for (const run of [...memory.open]) run.end();
  await waitForRequests();
}

/** The queue waits this long for the next requests of all processes. */
const waitForRequests = () => jest.advanceTimersByTimeAsync(25);

/** The process whose batch stays with itself. */
async function leaderAmong(candidates: readonly Process[]): Promise<Process[]> {
  const leaders: Process[] = [];
  for (const candidate of candidates) {
    submitRequest(candidate.queue, `probe-${candidates.indexOf(candidate)}`);
    await flushPromises();
    if (candidate.memory.open.length > 0) leaders.push(candidate);
    await endAll();
  }
  return leaders;
}

const entry = (account: string, more: Partial<CreationEntry> = {}): CreationEntry => ({
  creationId: `id-${account}`,
  importSupplier: 'ACME',
  externalAccountNumber: account,
  operationsTeam: 'Migration',
  ...more,
});

test('a process that is alone starts its own runs', async () => {
  const { queue, memory } = startProcess();
  const request = submitRequest(queue, 'a');
  await flushPromises();
  memory.open[0]!.end([created('A-1')]);
  await flushPromises();
  expect(request.answer).toEqual(created('A-1'));
});

test('creates the accounts of two processes in the runs of one, and answers each caller with its own account', async () => {
  const { leader, follower } = await startTwo();
  submitRequest(leader.queue, 'running');
  await flushPromises();
  const requests = ['a', 'b'].map((account) => submitRequest(follower.queue, account));
  const own = submitRequest(leader.queue, 'c');
  await flushPromises();
  expect(follower.memory.open).toEqual([]);
  leader.memory.open[0]!.end();
  await waitForRequests();
  const [run] = leader.memory.open;
  expect(run!.accounts.toSorted()).toEqual(['a', 'c']);
  run!.end(run!.accounts.map((account) => created(`NUMBER-${account}`)));
  await waitForRequests();
  expect([requests[0]!.answer, own.answer]).toEqual([created('NUMBER-a'), created('NUMBER-c')]);
  const [next] = leader.memory.open;
  next!.end([created('NUMBER-b')]);
  await flushPromises();
  expect(requests[1]!.answer).toEqual(created('NUMBER-b'));
  expect(follower.memory.open).toEqual([]);
});

test('waits for the next batch of the other process, so that it joins the next run', async () => {
  const { leader, follower } = await startTwo();
  submitRequest(follower.queue, 'a');
  await flushPromises();
  submitRequest(leader.queue, 'b');
  leader.memory.open[0]!.end();
  await flushPromises();
  await flushPromises();
  expect(leader.memory.open).toEqual([]);
  submitRequest(follower.queue, 'c');
  await flushPromises();
  expect(leader.memory.open.map((run) => run.accounts)).toEqual([['b', 'c']]);
  await endAll();
});

test('keeps the creation ids of passed entries, so that a repeated run finds its accounts', async () => {
  const { leader, follower } = await startTwo();
  void follower.shared.start([entry('a')], 'run');
  await flushPromises();
  expect(leader.memory.open[0]!.entries).toEqual([entry('a')]);
  await endAll();
});

test.each([
  ['a large batch', Array.from({ length: 25 }, (_, index) => entry(`${index}`))],
  ['a batch that holds slots of the concurrency limit', [entry('a', { holdsSlot: true })]],
  ['a batch that does not fit in a message', Array.from({ length: 24 }, (_, index) => entry(`${index}`.repeat(120)))],
])('creates %s itself', async (_, entries) => {
  const { follower } = await startTwo();
  void follower.shared.start(entries, 'run');
  await flushPromises();
  expect(follower.memory.open.map((run) => run.entries)).toEqual([entries]);
  await endAll();
});

test('creates a batch itself when the other process does not answer, and takes whichever outcome comes first', async () => {
  const { leader, follower } = await startTwo();
  const request = submitRequest(follower.queue, 'a');
  await flushPromises();
  expect(follower.memory.open).toEqual([]);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(follower.memory.open.map((run) => run.accounts)).toEqual([['a']]);
  expect(leader.memory.open[0]!.entries).toEqual(follower.memory.open[0]!.entries);
  leader.memory.open[0]!.end([created('A-9')]);
  await flushPromises();
  expect(request.answer).toEqual(created('A-9'));
  await endAll();
});

test('creates a batch itself when the other process leaves its outcome open', async () => {
  const { leader, follower } = await startTwo();
  const request = submitRequest(follower.queue, 'a');
  await flushPromises();
  leader.memory.open[0]!.lose();
  await jest.advanceTimersByTimeAsync(1_000);
  follower.memory.open[0]!.end([created('A-9')]);
  await flushPromises();
  expect(request.answer).toEqual(created('A-9'));
});

test('passes on a refusal', async () => {
  const { leader, follower } = await startTwo();
  const request = submitRequest(follower.queue, 'a');
  await flushPromises();
  leader.memory.open[0]!.end([refuse('import_process_marked_to_skip')]);
  await flushPromises();
  expect(request.answer).toEqual(refuse('import_process_marked_to_skip'));
});

test('answers that the outcome is unknown, never that nothing was started, once a batch was passed', async () => {
  const { follower } = await startTwo();
  const request = submitRequest(follower.queue, 'a');
  await flushPromises();
  follower.memory.failNextStart(new CreationNotStarted('Temporal cannot be reached'));
  await jest.advanceTimersByTimeAsync(1_000);
  expect(isRefused(request.answer) && request.answer.code).toBe('creation_pending');
  await endAll();
});

test('creates a batch itself when it cannot be passed', async () => {
  const { follower } = await startTwo();
  isCut = (from) => from === follower;
  submitRequest(follower.queue, 'a');
  await flushPromises();
  expect(follower.memory.open.map((run) => run.accounts)).toEqual([['a']]);
  await endAll();
});

test('passes no batch to a process that stops, and that process answers the batches that it has', async () => {
  const { leader, follower } = await startTwo();
  const before = submitRequest(follower.queue, 'before');
  await flushPromises();
  let isClosed = false;
  const closing = leader.shared.close().then(() => {
    isClosed = true;
  });
  await flushPromises();
  submitRequest(follower.queue, 'after');
  await flushPromises();
  expect(isClosed).toBe(false);
  leader.memory.open[0]!.end([created('A-1')]);
  await closing;
  await flushPromises();
  expect(before.answer).toEqual(created('A-1'));
  expect(follower.memory.open.map((run) => run.accounts)).toEqual([['after']]);
  await endAll();
});

test('passes no batch to a process that receives no messages, and none of its own', async () => {
  const { leader, follower } = await startTwo();
  isDeaf = (to) => to === leader;
  await jest.advanceTimersByTimeAsync(2_001);
  for (const account of ['a', 'b', 'c']) {
    for (const { queue, memory } of [leader, follower]) {
      const request = submitRequest(queue, account);
      await flushPromises();
      expect(memory.open.map((run) => run.accounts)).toEqual([[account]]);
      await endAll();
      expect(request.answer).toMatchObject({ kind: 'created' });
    }
    await jest.advanceTimersByTimeAsync(500);
  }
});

test('passes no batch to a process that has created nothing of the supplier for two seconds', async () => {
  const { follower } = await startTwo();
  await jest.advanceTimersByTimeAsync(2_001);
  submitRequest(follower.queue, 'a');
  await flushPromises();
  expect(follower.memory.open.map((run) => run.accounts)).toEqual([['a']]);
  await endAll();
});

test.each([undefined, '', 'no JSON', 'null', '{"kind":"of another version"}'])('ignores the message %j', (payload) => {
  startProcess().shared.receive(payload);
});
