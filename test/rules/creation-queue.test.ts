import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import {
  CreationNotStarted,
  createCreationQueue,
  type CreationAnswer,
  type CreationQueue,
  type CreationRuns,
  type QueueLimits,
} from '../../src/account-import/create/create-account.queue.ts';
import type { CreationEntry, CreationOutcome } from '../../src/account-import/create/create-account.rules.ts';
import { refuse } from '../../src/vocabulary/refusals.ts';

const LIMITS: QueueLimits = {
  runsInFlight: 1,
  batchSize: 64,
  runsOpenMax: 64,
  requestsWaitingMax: 1_000,
  slotTimeoutMs: 2_000,
  answerTimeoutMs: 30_000,
};

/** A run that the test ends as it likes. */
interface Run {
  entries: readonly CreationEntry[];
  accounts: string[];
  end(outcomes?: CreationOutcome[]): void;
  /** Started, and then nobody knows what became of it. */
  lose(): void;
}

/** Runs in memory; `failNextStart` fails the start of the next one. */
function memoryRuns() {
  const open: Run[] = [];
  const alone = new Map<string, { end(outcome: CreationOutcome): void; answerTimeoutMs: number }>();
  let nextFault: Error | undefined;
  let created = 0;
  const number = () => `A-${(created += 1)}`;
  const runs: CreationRuns = {
    start: async (entries) => {
      const fault = nextFault;
      nextFault = undefined;
      if (fault) throw fault;
      const { promise, resolve, reject } = Promise.withResolvers<CreationOutcome[]>();
      const over = () => open.splice(open.indexOf(run), 1);
      const run: Run = {
        entries,
        accounts: entries.map((entry) => entry.externalAccountNumber),
        end: (outcomes = entries.map(() => ({ kind: 'created', serviceAccountNumber: number() }))) => {
          over();
          resolve(outcomes);
        },
        lose: () => {
          over();
          reject(new Error('workflow lost'));
        },
      };
      open.push(run);
      return { outcomes: promise };
    },
    awaitAlone: (entry, answerTimeoutMs) =>
      new Promise((resolve) => {
        alone.set(entry.externalAccountNumber, { end: resolve, answerTimeoutMs });
      }),
  };
  return {
    runs,
    open,
    alone,
    number,
    failNextStart: (fault: Error) => {
      nextFault = fault;
    },
  };
}

const created = (serviceAccountNumber: string): CreationOutcome & CreationAnswer => ({
  kind: 'created',
  serviceAccountNumber,
});
const settled = () => jest.advanceTimersByTimeAsync(0);

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

/** A request, with what it was answered so far. */
function ask(queue: CreationQueue, externalAccountNumber: string, importSupplier = 'ACME') {
  const hangUp = new AbortController();
  const asked = { answer: undefined as CreationAnswer | undefined, hangUp: () => hangUp.abort() };
  void queue
    .submit({ importSupplier, externalAccountNumber, operationsTeam: 'Migration' }, hangUp.signal)
    .then((answer) => {
      asked.answer = answer;
    });
  return asked;
}

test('a request that finds a free place starts at once, alone', async () => {
  const queue = queueOf({ runsInFlight: 2 });
  const requests = [ask(queue, 'a'), ask(queue, 'b')];
  expect(memory.open.map((run) => run.accounts)).toEqual([['a'], ['b']]);
  memory.open[0]!.end([created('A-7')]);
  await settled();
  expect(requests.map((request) => request.answer)).toEqual([created('A-7'), undefined]);
});

test('while all places are taken requests wait, and then go together, 64 at most, in the order in which they came', async () => {
  const queue = queueOf();
  ask(queue, 'first');
  const accounts = Array.from({ length: 100 }, (_, index) => `later-${index}`);
  for (const account of accounts) ask(queue, account);
  expect(queue.state()).toEqual({ waitingRequests: 100, openRuns: 1, placesTaken: 1 });
  memory.open[0]!.end();
  await settled();
  expect(memory.open.map((run) => run.accounts)).toEqual([accounts.slice(0, 64)]);
  memory.open[0]!.end();
  await settled();
  expect(memory.open.map((run) => run.accounts)).toEqual([accounts.slice(64)]);
  expect(queue.state()).toEqual({ waitingRequests: 0, openRuns: 1, placesTaken: 1 });
});

test('each request gets the answer of its own account', async () => {
  const queue = queueOf();
  ask(queue, 'first');
  const [a, b] = [ask(queue, 'a'), ask(queue, 'b')];
  memory.open[0]!.end();
  await settled();
  memory.open[0]!.end([refuse('import_process_marked_to_skip'), created('A-2')]);
  await settled();
  expect([a.answer, b.answer]).toEqual([refuse('import_process_marked_to_skip'), created('A-2')]);
});

test('of ten requests for one account one is answered 201, the others already imported with the same number', async () => {
  const queue = queueOf();
  const requests = Array.from({ length: 10 }, () => ask(queue, 'a'));
  expect(memory.open.map((run) => run.accounts)).toEqual([['a']]);
  memory.open[0]!.end([created('A-3')]);
  await settled();
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
  await settled();
  expect(first.answer).toMatchObject({ code: 'creation_pending', retryAfterSeconds: expect.any(Number) });
  const resend = ask(queue, 'a');
  expect(memory.open).toHaveLength(1);
  memory.open[0]!.end([created('A-4')]);
  await settled();
  expect(resend.answer).toEqual(created('A-4'));
});

test('a 201 that nobody took is owed to the next request, once, for a minute', async () => {
  const queue = queueOf();
  for (const account of ['a', 'b']) ask(queue, account).hangUp();
  memory.open[0]!.end([created('A-5')]);
  await settled();
  memory.open[0]!.end([created('A-6')]);
  await settled();
  const resend = ask(queue, 'a');
  await settled();
  expect(resend.answer).toEqual(created('A-5'));
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
  await settled();
  expect(await gone).toMatchObject({ code: 'creation_pending' });
  const resend = ask(queue, 'a');
  await settled();
  expect(resend.answer).toEqual(created('A-1'));
});

test('a refusal is told to all who wait and is not kept', async () => {
  const queue = queueOf();
  const requests = [ask(queue, 'a'), ask(queue, 'a')];
  memory.open[0]!.end([refuse('import_supplier_migration_not_ongoing')]);
  await settled();
  expect(requests.map(({ answer }) => answer)).toEqual(Array(2).fill(refuse('import_supplier_migration_not_ongoing')));
  ask(queue, 'a');
  expect(memory.open).toHaveLength(1);
});

test('a run that takes long gives its place back, so that waiting batches do not stop the rest', async () => {
  const queue = queueOf();
  const slow = ask(queue, 'a');
  const next = ask(queue, 'b');
  await jest.advanceTimersByTimeAsync(LIMITS.slotTimeoutMs - 1);
  expect(memory.open).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(1);
  expect(memory.open.map((run) => run.accounts)).toEqual([['a'], ['b']]);
  memory.open[1]!.end([created('A-2')]);
  memory.open[0]!.end([created('A-1')]);
  await settled();
  expect([slow.answer, next.answer]).toEqual([created('A-1'), created('A-2')]);
  expect(queue.state()).toEqual({ waitingRequests: 0, openRuns: 0, placesTaken: 0 });
});

test('no more runs are open than allowed, however long they take', async () => {
  const queue = queueOf({ runsOpenMax: 3, batchSize: 1 });
  for (let account = 0; account < 10; account += 1) ask(queue, `${account}`);
  await jest.advanceTimersByTimeAsync(10 * LIMITS.slotTimeoutMs);
  expect(memory.open).toHaveLength(3);
  memory.open[1]!.end();
  await settled();
  expect(memory.open.map((run) => run.accounts)).toEqual([['0'], ['2'], ['3']]);
});

test('a batch holds the accounts of one import supplier, and suppliers take turns, however much one of them sends', async () => {
  const queue = queueOf({ batchSize: 3 });
  ask(queue, 'first');
  for (let index = 0; index < 9; index += 1) ask(queue, `many-${index}`);
  const others = ['BOREAL', 'CELSIUS'].map((supplier) => ask(queue, 'one', supplier));
  const batches: string[][] = [];
  while (memory.open.length > 0) {
    const [run] = memory.open;
    batches.push(run!.entries.map((entry) => `${entry.importSupplier} ${entry.externalAccountNumber}`));
    run!.end();
    await settled();
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

test('a supplier that holds no place starts at once, even while another holds all places', () => {
  const queue = queueOf({ runsInFlight: 2 });
  for (const account of ['a', 'b', 'c']) ask(queue, account);
  for (const supplier of ['BOREAL', 'CELSIUS', 'DELTA']) ask(queue, 'a', supplier);
  expect(memory.open.map((run) => run.entries[0]!.importSupplier)).toEqual(['ACME', 'ACME', 'BOREAL', 'CELSIUS']);
  expect(queue.state()).toEqual({ waitingRequests: 2, openRuns: 4, placesTaken: 4 });
});

test('a supplier whose runs hang, and whose requests pile up, leaves runs and room to another', async () => {
  const queue = queueOf({ runsOpenMax: 8, requestsWaitingMax: 8, batchSize: 1, answerTimeoutMs: 3_600_000 });
  const many = Array.from({ length: 40 }, (_, account) => ask(queue, `${account}`));
  await jest.advanceTimersByTimeAsync(10 * LIMITS.slotTimeoutMs);
  for (let account = 40; account < 80; account += 1) many.push(ask(queue, `${account}`));
  await settled();
  expect(memory.open).toHaveLength(6);
  expect(queue.state().waitingRequests).toBe(6);
  expect(many.filter(({ answer }) => answer?.kind === 'refused' && answer.code === 'service_unavailable')).toHaveLength(
    68,
  );

  const other = ask(queue, 'a', 'BOREAL');
  expect(memory.open.at(-1)!.entries[0]!.importSupplier).toBe('BOREAL');
  memory.open.at(-1)!.end([created('A-1')]);
  await settled();
  expect(other.answer).toEqual(created('A-1'));
});

test('beyond the most that may wait a request is refused at once; one that joins is not', async () => {
  const queue = queueOf({ requestsWaitingMax: 2 });
  ask(queue, 'started');
  const waiting = [ask(queue, 'a'), ask(queue, 'b')];
  const [refused, joined] = [ask(queue, 'c'), ask(queue, 'started')];
  await settled();
  expect(refused.answer).toMatchObject({ code: 'service_unavailable', retryAfterSeconds: expect.any(Number) });
  expect([...waiting, joined].map(({ answer }) => answer)).toEqual([undefined, undefined, undefined]);
});

test('entries whose callers are gone count too, so that an outage of an hour does not fill the memory', async () => {
  const queue = queueOf({ requestsWaitingMax: 2, slotTimeoutMs: 3_600_000, answerTimeoutMs: 1_000 });
  ask(queue, 'started');
  for (let second = 0; second < 100; second += 1) {
    ask(queue, `account-${second}`);
    await jest.advanceTimersByTimeAsync(1_000);
  }
  const refused = ask(queue, 'one more');
  const resend = ask(queue, 'account-1');
  await settled();
  expect([refused.answer, resend.answer]).toEqual([
    expect.objectContaining({ code: 'service_unavailable' }),
    undefined,
  ]);
  memory.open[0]!.end();
  await settled();
  expect(memory.open.map((run) => run.accounts)).toEqual([['account-0', 'account-1']]);
});

test.each<[string, Error, string]>([
  ['nothing was started: the request may be sent again', new CreationNotStarted(), 'service_unavailable'],
  ['nobody knows whether it started: the creation is pending', new Error('deadline'), 'creation_pending'],
])('when the start fails and %s', async (_what, fault, code) => {
  const queue = queueOf();
  memory.failNextStart(fault);
  const request = ask(queue, 'a');
  const next = ask(queue, 'b');
  await settled();
  expect(request.answer).toMatchObject({ code });
  expect(memory.open.map((run) => run.accounts)).toEqual([['b']]);
  expect(next.answer).toBeUndefined();
  expect(queue.state()).toEqual({ waitingRequests: 0, openRuns: 1, placesTaken: 1 });
});

test('when a run is lost its requests are pending, and a resend starts anew', async () => {
  const queue = queueOf();
  const request = ask(queue, 'a');
  await settled();
  memory.open[0]!.lose();
  await settled();
  expect(request.answer).toMatchObject({ code: 'creation_pending' });
  ask(queue, 'a');
  expect(memory.open).toHaveLength(1);
});

test('an account that was handed over is followed for as long as a caller may wait, while its batch is over', async () => {
  const queue = queueOf();
  ask(queue, 'first');
  const [poison, good] = [ask(queue, 'poison'), ask(queue, 'good')];
  memory.open[0]!.end();
  await settled();
  memory.open[0]!.end([{ kind: 'quarantined' }, created('A-2')]);
  await settled();
  expect([poison.answer, good.answer]).toEqual([undefined, created('A-2')]);
  expect(queue.state()).toEqual({ waitingRequests: 0, openRuns: 0, placesTaken: 0 });
  const joined = ask(queue, 'poison');
  expect(memory.open).toEqual([]);
  expect(memory.alone.get('poison')?.answerTimeoutMs).toBe(LIMITS.answerTimeoutMs);
  memory.alone.get('poison')!.end(created('A-3'));
  await settled();
  expect([poison.answer, joined.answer]).toEqual([
    created('A-3'),
    expect.objectContaining({ code: 'account_import_process_already_imported' }),
  ]);
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
  await settled();
  expect(isDrained).toBe(false);
  late.hangUp();
  await settled();
  expect(isDrained).toBe(true);
});

type Step =
  | { do: 'ask'; account: number; supplier: string }
  | { do: 'hang up' | 'end' | 'lose' | 'hand over' | 'end alone'; which: number }
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
      do: fc.constantFrom(
        'hang up' as const,
        'end' as const,
        'lose' as const,
        'hand over' as const,
        'end alone' as const,
      ),
      which,
    }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 500, 2_000, 30_000) }),
    fc.record({ do: fc.constant('fail next start' as const), known: fc.boolean() }),
  ),
  { maxLength: 60 },
);

test('whatever happens: limits hold, no account is in two runs, every request gets one answer, no number is told as 201 twice', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      memory = memoryRuns();
      const limits = { ...LIMITS, runsInFlight: 2, batchSize: 3, runsOpenMax: 4, requestsWaitingMax: 6 };
      const queue = queueOf(limits);
      const asked: ReturnType<typeof ask>[] = [];
      const pick = <T>(all: readonly T[], at: number) => all[at % Math.max(1, all.length)];
      const take = (step: Step) => {
        if (step.do === 'ask') asked.push(ask(queue, `${step.supplier}-${step.account}`, step.supplier));
        else if (step.do === 'hang up') pick(asked, step.which)?.hangUp();
        else if (step.do === 'end') pick(memory.open, step.which)?.end();
        else if (step.do === 'lose') pick(memory.open, step.which)?.lose();
        else if (step.do === 'hand over') {
          pick(memory.open, step.which)?.end(
            pick(memory.open, step.which)?.entries.map(() => ({ kind: 'quarantined' })),
          );
        } else if (step.do === 'fail next start') {
          memory.failNextStart(step.known ? new CreationNotStarted() : new Error('deadline'));
        } else if (step.do === 'end alone') {
          const [account, run] = pick([...memory.alone], step.which) ?? [];
          if (account !== undefined) memory.alone.delete(account);
          run?.end(created(memory.number()));
        }
        return jest.advanceTimersByTimeAsync(step.do === 'wait' ? step.ms : 0);
      };
      for (const step of script) {
        await take(step);
        const { waitingRequests, openRuns, placesTaken } = queue.state();
        expect(openRuns).toBe(memory.open.length);
        expect(openRuns).toBeLessThanOrEqual(limits.runsOpenMax);
        expect(placesTaken).toBeLessThanOrEqual(2 * limits.runsInFlight);
        expect(waitingRequests).toBeLessThanOrEqual(limits.requestsWaitingMax);
        if (waitingRequests > 0) {
          expect(placesTaken >= limits.runsInFlight || openRuns >= limits.runsOpenMax - 1).toBe(true);
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
      expect(asked.filter(({ answer }) => answer === undefined)).toEqual([]);
      expect(queue.state()).toEqual({ waitingRequests: 0, openRuns: 0, placesTaken: 0 });
      await queue.drained();
      const told = asked.flatMap(({ answer }) => (answer?.kind === 'created' ? [answer.serviceAccountNumber] : []));
      expect(new Set(told).size).toBe(told.length);
    }),
    { numRuns: 300 },
  );
});
