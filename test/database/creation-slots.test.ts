import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { openDatabase } from '../../src/platform/database/database.ts';
import { createLog } from '../../src/platform/log.ts';
import { entities } from '../../src/processes/entities.ts';
import { createTestDatabase } from '../support/test-database.ts';

// How import suppliers share the slots of the concurrency limit, as the database decides for all processes.

const clone = await createTestDatabase();
const database = await openDatabase({
  url: clone.url,
  entities,
  poolSize: 2,
  log: createLog({ level: 'silent', process: 'test' }),
  applicationName: 'test',
});
afterAll(async () => {
  await database.close();
  await clone.drop();
});
beforeEach(async () => {
  await database.pool.query('delete from creation_slot; delete from creation_slot_wait; delete from setting');
});

const limitTo = (limit: number) =>
  database.pool.query(`insert into setting (name, value) values ('create-account-concurrency-limit', $1)`, [{ limit }]);

const take = async (supplier: string): Promise<string> =>
  (await database.pool.query('select take_creation_slot($1, $2, $3) as outcome', [randomUUID(), supplier, 'any']))
    .rows[0].outcome;

async function takeAll(supplier: string): Promise<number> {
  let taken = 0;
  while ((await take(supplier)) === 'taken') taken += 1;
  return taken;
}

const endOne = (supplier: string) =>
  database.pool.query(
    'delete from creation_slot where creation_id = (select creation_id from creation_slot where import_supplier = $1 limit 1)',
    [supplier],
  );

const age = (seconds: number) =>
  database.pool.query(
    'update creation_slot_wait set since = since - make_interval(secs => $1), asked_at = asked_at - make_interval(secs => $1)',
    [seconds],
  );

test('gives a supplier all slots while no other one waits', async () => {
  await limitTo(4);
  expect(await takeAll('A')).toBe(4);
  await endOne('A');
  expect(await take('A')).toBe('taken');
});

test('gives a retried request with the same creation id the slot of its lost run, and no second one', async () => {
  await limitTo(2);
  const creationId = randomUUID();
  const takeAgain = () => database.pool.query('select take_creation_slot($1, $2, $3)', [creationId, 'A', 'any']);
  await takeAgain();
  await database.pool.query(`update creation_slot set workflow_id = 'create-accounts/lost', taken_at = '2026-01-01'`);
  await takeAgain();
  const { rows } = await database.pool.query(
    `select workflow_id, taken_at > now() - interval '1 hour' as is_new from creation_slot`,
  );
  expect(rows).toEqual([{ workflow_id: null, is_new: true }]);
  expect(await takeAll('A')).toBe(1);
});

test('leaves the next free slot to a rejected supplier, while the one that holds all slots gets no more than the others', async () => {
  await limitTo(4);
  expect(await takeAll('A')).toBe(4);
  expect(await take('B')).toBe('none-free');
  await endOne('A');
  expect(await take('A')).toBe('none-free');
  await endOne('A');
  // One slot is kept; the other is free for all.
  expect(await take('A')).toBe('taken');
  expect(await take('B')).toBe('taken');
  // Both wait now: the one with fewer slots goes first until they are equal.
  expect(await take('B')).toBe('none-free');
  expect(await take('A')).toBe('none-free');
  await endOne('A');
  expect([await take('A'), await take('B')]).toEqual(['none-free', 'taken']);
});

test('alternates one slot between two suppliers', async () => {
  await limitTo(1);
  expect(await take('A')).toBe('taken');
  const order: string[] = [];
  let holder = 'A';
  for (let turn = 0; turn < 6; turn += 1) {
    const [one, other] = holder === 'A' ? ['A', 'B'] : ['B', 'A'];
    expect([await take(other), await take(one)]).toEqual(['none-free', 'none-free']);
    await endOne(holder);
    expect(await take(one)).toBe('none-free');
    expect(await take(other)).toBe('taken');
    holder = other;
    order.push(holder);
  }
  expect(order.join('')).toBe('BABABA');
});

test('reserves nothing for longer than three seconds for a supplier that does not return', async () => {
  await limitTo(2);
  expect(await takeAll('A')).toBe(2);
  expect(await take('B')).toBe('none-free');
  await endOne('A');
  expect(await take('A')).toBe('none-free');
  await age(3.1);
  expect(await take('A')).toBe('taken');
});
