import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { announceOutcomes, hearCreationNews, type CreationNews } from '../../src/accounts/creation-news.store.ts';
import type { CreationEntry, CreationOutcome } from '../../src/accounts/create-account.rules.ts';
import { openDatabase, type Database } from '../../src/platform/database/database.ts';
import { createLog } from '../../src/platform/log.ts';
import { refuse } from '../../src/vocabulary/refusals.ts';
import { until } from '../support/harness.ts';
import { createTestDatabase } from '../support/test-database.ts';

const log = createLog({ level: 'silent', process: 'test' });
const CREATED: CreationOutcome[] = [{ kind: 'created', serviceAccountNumber: 'A-2345678X' }];

let clone: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let news: CreationNews;
beforeAll(async () => {
  clone = await createTestDatabase();
  database = await openDatabase({ url: clone.url, poolSize: 2, log, applicationName: 'test' });
  news = hearCreationNews({ url: clone.url, log });
  await until(isListening);
});
afterAll(async () => {
  await news.close();
  await database.close();
  await clone.drop();
});

const listeners = async () => (await database.pool.query<{ pid: number; query: string }>(`select pid, query from pg_stat_activity where application_name = 'gangway-news' and datname = current_database()`)).rows;
const isListening = async () => (await listeners()).some(({ query }) => query.startsWith('listen'));
const entry = (): CreationEntry => ({ creationId: randomUUID(), importSupplier: 'SUPPLIER_FR', externalAccountNumber: 'NEWS-1', operationsTeam: 'Migration' });

/** Announces these outcomes, then others for another batch; resolves to what is heard of the first by the time the second is. */
async function heardOf(outcomes: CreationOutcome[], commits = true): Promise<CreationOutcome[] | undefined> {
  const [one, next] = [entry(), entry()];
  let heard: CreationOutcome[] | undefined;
  const first = news.await(one.creationId);
  void first.outcomes.then((value) => { heard = value; });
  await database.transaction(async (tx) => {
    await announceOutcomes(tx, [one], outcomes);
    if (!commits) await tx.rollback();
  });
  const second = news.await(next.creationId);
  await database.transaction((tx) => announceOutcomes(tx, [next], CREATED));
  await second.outcomes;
  first.forget();
  second.forget();
  return heard;
}

test('what a transaction has created is heard once it has committed', async () => {
  expect(await heardOf(CREATED)).toEqual(CREATED);
  const refused: CreationOutcome[] = [...CREATED, refuse('import_process_marked_to_skip')];
  expect(await heardOf(refused)).toEqual(refused);
});

test('nothing is heard of what was rolled back, of what was handed over, or of what is too long to be told', async () => {
  expect(await heardOf(CREATED, false)).toBeUndefined();
  expect(await heardOf([...CREATED, { kind: 'handed-over' }])).toBeUndefined();
  expect(await heardOf(Array.from({ length: 200 }, () => CREATED[0]!))).toBeUndefined();
});

test('a listener whose connection is cut listens again', async () => {
  const [before] = await listeners();
  await database.pool.query('select pg_terminate_backend($1)', [before?.pid]);
  await until(async () => (await isListening()) && (await listeners())[0]?.pid !== before?.pid);
  expect(await heardOf(CREATED)).toEqual(CREATED);
});
