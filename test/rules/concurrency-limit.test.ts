import { expect, test } from '@jest/globals';
import {
  watchConcurrencyLimit,
  type CreationSlots,
  databaseSlots,
} from '../../src/account-import/limit/creation-slot.store.ts';
import { limitCreationRuns } from '../../src/processes/open-creation-queue.ts';
import {
  createCreationQueue,
  CreationNotStarted,
  type CreationRuns,
} from '../../src/account-import/create/create-account.queue.ts';
import type { CreationEntry } from '../../src/account-import/create/create-account.rules.ts';
import type { Queryable } from '../../src/platform/database/prepared-query.ts';
import { createLog } from '../../src/platform/log.ts';

const log = createLog({ level: 'silent', process: 'test' });
const limits = {
  runsInFlight: 4,
  batchSize: 64,
  runsOpenMax: 64,
  requestsWaitingMax: 1_000,
  slotTimeoutMs: 2_000,
  answerTimeoutMs: 1_000,
};
const request = (externalAccountNumber: string) => ({
  importSupplier: 'S',
  externalAccountNumber,
  operationsTeam: 'T',
});
const never = () => new AbortController().signal;

/** A database that no statement may reach. */
const database: Queryable = {
  run: (statement) => Promise.reject(new Error(statement.name)),
  em: () => {
    throw new Error('a statement');
  },
};

const created = (entries: readonly CreationEntry[]) => ({
  outcomes: Promise.resolve(
    entries.map((entry) => ({ kind: 'created' as const, serviceAccountNumber: `A-${entry.externalAccountNumber}` })),
  ),
});
const runs: CreationRuns = { start: async (entries) => created(entries) };

test('reads a disabled limit once a second, and adds no statement to a creation', async () => {
  let now = 0;
  let reads = 0;
  const findLimit = async () => {
    reads += 1;
    return null;
  };
  const limit = watchConcurrencyLimit({ findLimit, now: () => now });
  const slots = databaseSlots({ database, limit, log });
  const queue = createCreationQueue(limitCreationRuns(runs, slots), limits, slots);
  for (let index = 0; index < 100; index += 1) {
    expect(await queue.submit(request(String(index)), never())).toMatchObject({ kind: 'created' });
    now += 25;
  }
  expect(reads).toBe(3);
});

test('applies a local change immediately; keeps the last limit while the database is down, and is unavailable without one', async () => {
  let now = 0;
  let max: number | null = null;
  let isAway = true;
  const findLimit = async () => {
    if (isAway) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
    return max;
  };
  const limit = watchConcurrencyLimit({ findLimit, now: () => now });
  const slots = databaseSlots({ database, limit, log });
  expect(await createCreationQueue(runs, limits, slots).submit(request('1'), never())).toMatchObject({
    code: 'service_unavailable',
  });
  isAway = false;
  expect(await limit.isOff()).toBe(true);
  max = 1;
  expect(await limit.isOff()).toBe(true);
  limit.forget();
  expect(await limit.isOff()).toBe(false);
  isAway = true;
  now += 5_000;
  expect(await limit.isOff()).toBe(false);
});

function slotsThat(behaviour: Partial<CreationSlots>): { slots: CreationSlots; released: string[] } {
  const released: string[] = [];
  const slots: CreationSlots = {
    acquire: () => Promise.resolve('taken'),
    nameRun: async (ids) => new Set(ids),
    release: async (ids) => {
      released.push(...ids);
    },
    ...behaviour,
  };
  return { slots, released };
}

test('throttles every request that joined while no slot is free, and queries again for the next one', async () => {
  const answers = ['none-free', 'taken'] as const;
  let statements = 0;
  const { slots } = slotsThat({ acquire: () => Promise.resolve(answers[statements++]!) });
  const queue = createCreationQueue(limitCreationRuns(runs, slots), limits, slots);
  const both = await Promise.all([queue.submit(request('1'), never()), queue.submit(request('1'), never())]);
  expect(both).toMatchObject([{ code: 'throttled', retryAfterSeconds: 2 }, { code: 'throttled' }]);
  expect(await queue.submit(request('1'), never())).toMatchObject({ kind: 'created' });
  expect(statements).toBe(2);
});

test('drops an entry whose slot was released before its run started, and continues the others of its batch', async () => {
  const started: string[] = [];
  const holder = (externalAccountNumber: string, holdsSlot?: true): CreationEntry => ({
    creationId: externalAccountNumber,
    ...request(externalAccountNumber),
    ...(holdsSlot ? { holdsSlot } : {}),
  });
  const { slots } = slotsThat({ nameRun: async () => new Set(['b']) });
  const limited = limitCreationRuns(
    {
      ...runs,
      start: async (entries, workflowId) => {
        started.push(workflowId, ...entries.map((entry) => entry.creationId));
        return created(entries);
      },
    },
    slots,
  );
  const { outcomes } = await limited.start([holder('a', true), holder('b', true), holder('c')], 'run-1');
  expect(await outcomes).toMatchObject([
    { code: 'throttled' },
    { serviceAccountNumber: 'A-b' },
    { serviceAccountNumber: 'A-c' },
  ]);
  expect(started).toEqual(['run-1', 'b', 'c']);
});

test('releases the slots of a run that was not started, and keeps them if that is unknown', async () => {
  for (const [fault, isReleased] of [
    [new CreationNotStarted('refused'), true],
    [new Error('deadline'), false],
  ] as const) {
    const { slots, released } = slotsThat({});
    const queue = createCreationQueue(
      limitCreationRuns({ ...runs, start: () => Promise.reject(fault) }, slots),
      limits,
      slots,
    );
    expect(await queue.submit(request('1'), never())).toMatchObject({
      code: isReleased ? 'service_unavailable' : 'creation_pending',
    });
    expect(released).toHaveLength(isReleased ? 1 : 0);
  }
});
