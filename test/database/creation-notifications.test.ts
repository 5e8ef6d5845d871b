import { randomUUID } from 'node:crypto';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { pino } from 'pino';
import {
  announceOutcomes,
  listenForCreations,
  type CreationNotifications,
} from '../../src/account-import/create/creation-notifications.store.ts';
import { createCreationActivity } from '../../src/account-import/create/creation-activity.queue.ts';
import type { CreationEntry, CreationOutcome } from '../../src/account-import/create/create-account.rules.ts';
import { accountActivities } from '../../activities/account-import/create-from-staged.activities.ts';
import { openDatabase, type Database } from '../../src/platform/database/database.ts';
import { entities } from '../../src/processes/entities.ts';
import { createLog } from '../../src/platform/log.ts';
import { fixedSecret } from '../../src/platform/secrets/secrets.ts';
import { refuse } from '../../src/vocabulary/refusals.ts';
import { startCutProxy } from '../support/cut-proxy.ts';
import { until } from '../support/until.ts';
import { createTestDatabase } from '../support/test-database.ts';

const log = createLog({ level: 'silent', process: 'test' });
const CREATED: CreationOutcome[] = [{ kind: 'created', serviceAccountNumber: 'A-2345678X' }];

let clone: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let notifications: CreationNotifications;
beforeAll(async () => {
  clone = await createTestDatabase();
  database = await openDatabase({ url: clone.url, entities, poolSize: 2, log, applicationName: 'test' });
  notifications = listenForCreations({ secret: fixedSecret(clone.url), log });
  await until(isListening);
});
afterAll(async () => {
  await notifications.close();
  await database.close();
  await clone.drop();
});

// Idle: the statement has ended. Until then no notification is received.
const listeners = async () =>
  (
    await database.pool.query<{ pid: number; query: string }>(
      `select pid, query from pg_stat_activity where application_name = 'gangway-notifications' and datname = current_database() and state = 'idle'`,
    )
  ).rows;
const isListening = async () => (await listeners()).some(({ query }) => query.startsWith('listen'));
const entry = (): CreationEntry => ({
  creationId: randomUUID(),
  importSupplier: 'SUPPLIER_FR',
  externalAccountNumber: 'NEWS-1',
  operationsTeam: 'Migration',
});

/** A log whose lines a test can read. */
function readableLog() {
  const lines: string[] = [];
  return {
    lines,
    log: pino(
      new Writable({
        write: (line, _encoding, done) => {
          lines.push(String(line));
          done();
        },
      }),
    ),
  };
}

/** A server in place of the database; resolves to its address and to the number of connections so far. */
async function startOther(greet: (socket: Socket) => void) {
  const open = new Set<Socket>();
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    open.add(socket);
    socket.on('error', () => {});
    greet(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `postgres://nobody@127.0.0.1:${(server.address() as AddressInfo).port}/nothing`,
    count: () => count,
    stop: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/**
 * Announces these outcomes, then others for another batch; resolves to the notifications of the first by the time
 * that those of the second arrive. Notifications are lost while the listener's connection is down, and a machine that
 * stalls beyond its time limits may cut the connection at any time: then the test announces both again.
 */
async function receivedFor(outcomes: CreationOutcome[], commits = true): Promise<CreationOutcome[] | undefined> {
  for (;;) {
    const [listener] = await listeners();
    const [one, next] = [randomUUID(), randomUUID()];
    let received: CreationOutcome[] | undefined;
    const first = notifications.await(one);
    void first.outcomes.then((value) => {
      received = value;
    });
    await database.transaction(async (em) => {
      await announceOutcomes(em, one, outcomes);
      if (!commits) await em.rollback();
    });
    let isReceived = false;
    const second = notifications.await(next);
    void second.outcomes.then(() => {
      isReceived = true;
    });
    await until(async () => {
      if (!isReceived) await database.transaction((em) => announceOutcomes(em, next, CREATED));
      return isReceived;
    });
    first.forget();
    second.forget();
    if (listener !== undefined && (await listeners())[0]?.pid === listener.pid) return received;
  }
}

test('receives the creations of other processes once they are committed', async () => {
  const activity = createCreationActivity(() => 0);
  const other = listenForCreations({ secret: fixedSecret(clone.url), log, onNotification: activity.notified });
  await until(async () => (await listeners()).filter(({ query }) => query.startsWith('listen')).length === 2);
  expect(activity.isActive()).toBe(false);
  // Too long for the full list: the notification still says that accounts waited.
  await until(async () => {
    await database.transaction((em) =>
      announceOutcomes(
        em,
        randomUUID(),
        Array.from({ length: 200 }, () => CREATED[0]!),
      ),
    );
    return activity.isActive();
  });
  await other.close();
  // Its connection is visible for a moment longer; the next test looks for the remaining one.
  await until(async () => (await listeners()).length === 1);
});

test("notifies of a transaction's creations once it has committed", async () => {
  expect(await receivedFor(CREATED)).toEqual(CREATED);
  const refused: CreationOutcome[] = [...CREATED, refuse('import_process_marked_to_skip')];
  expect(await receivedFor(refused)).toEqual(refused);
});

test('answers a run with its own outcomes, also if a run of another process begins with the same entry', async () => {
  const revalidate = () => Promise.reject(new Error('no staged account is read'));
  const creation = { currentRules: () => '', revalidate, switchLeadDays: 0 };
  const activity = createCreationActivity();
  const { createFromStaged } = accountActivities({ database, slowDatabase: database, creation, activity, log });
  const runAs = (workflowId: string, entries: CreationEntry[]) =>
    new MockActivityEnvironment({ workflowExecution: { workflowId, runId: randomUUID() } }).run(
      createFromStaged,
      entries,
    );
  const [own, foreign] = [randomUUID(), randomUUID()];
  const [shared, further] = [entry(), { ...entry(), externalAccountNumber: 'NEWS-2' }];
  const waiting = notifications.await(own);
  let received: CreationOutcome[] | undefined;
  void waiting.outcomes.then((value) => {
    received = value;
  });
  await until(async () => {
    await runAs(foreign, [shared]);
    await runAs(own, [shared, further]);
    return received !== undefined;
  });
  expect(received).toHaveLength(2);
  waiting.forget();
});

test('sends no notification of rolled back or quarantined accounts, nor one that is too long', async () => {
  expect(await receivedFor(CREATED, false)).toBeUndefined();
  expect(await receivedFor([...CREATED, { kind: 'quarantined' }])).toBeUndefined();
  expect(await receivedFor(Array.from({ length: 200 }, () => CREATED[0]!))).toBeUndefined();
});

test('reconnects a listener whose connection is cut', async () => {
  const [before] = await listeners();
  await database.pool.query('select pg_terminate_backend($1)', [before?.pid]);
  await until(async () => (await isListening()) && (await listeners())[0]?.pid !== before?.pid);
  expect(await receivedFor(CREATED)).toEqual(CREATED);
});

test('ignores malformed notifications', async () => {
  const workflowId = randomUUID();
  let received: CreationOutcome[] | undefined;
  const waiting = notifications.await(workflowId);
  void waiting.outcomes.then((value) => {
    received = value;
  });
  const outcomes = [
    undefined,
    'created',
    [null],
    [{ kind: 'created' }],
    [{ kind: 'of a later version' }],
    [{ kind: 'quarantined' }],
  ];
  for (const payload of [
    '',
    'created',
    'null',
    '[]',
    ...outcomes.map((sent) => JSON.stringify({ of: workflowId, outcomes: sent })),
  ]) {
    await database.pool.query(`select pg_notify('creation_outcomes', $1)`, [payload]);
  }
  expect(await receivedFor(CREATED)).toEqual(CREATED);
  expect(received).toBeUndefined();
  waiting.forget();
});

test('connects a listener once the database that was down at its start is up', async () => {
  const proxy = await startCutProxy(clone.url);
  proxy.cut();
  const readable = readableLog();
  const late = listenForCreations({ secret: fixedSecret(proxy.url), log: readable.log });
  await until(() => readable.lines.length > 0);
  proxy.mend();
  const workflowId = randomUUID();
  const { outcomes } = late.await(workflowId);
  await until(async () => (await listeners()).filter(({ query }) => query.startsWith('listen')).length === 2);
  let received: CreationOutcome[] | undefined;
  void outcomes.then((value) => {
    received = value;
  });
  await until(async () => {
    await database.transaction((em) => announceOutcomes(em, workflowId, CREATED));
    return received !== undefined;
  });
  expect(received).toEqual(CREATED);
  await late.close();
  await proxy.stop();
});

test('closes a listener whose database accepts the connection and never answers', async () => {
  const frozen = await startOther(() => {});
  const listener = listenForCreations({ secret: fixedSecret(frozen.url), log });
  await until(() => frozen.count() > 0);
  await listener.close();
  await frozen.stop();
});

test('logs a database that stays down once', async () => {
  const readable = readableLog();
  const refusing = await startOther((socket) => {
    socket.destroy();
  });
  const listener = listenForCreations({ secret: fixedSecret(refusing.url), log: readable.log });
  await until(() => refusing.count() > 2);
  await listener.close();
  await refusing.stop();
  expect(readable.lines).toEqual([expect.stringContaining('notifications of creations are not received')]);
});
