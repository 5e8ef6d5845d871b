import { afterAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { pino } from 'pino';
import { openDatabase } from '../../src/platform/database/database.ts';
import { watchClock } from '../../src/platform/database/watch-clock.ts';
import { createLog } from '../../src/platform/log.ts';
import {
  LeaseLost,
  readDispatcher,
  renewLease,
  acquireLease,
  endLease,
} from '../../src/platform/work-items/dispatcher-lease.store.ts';
import { entities } from '../../src/processes/entities.ts';
import { shortenWaits } from '../../src/processes/start-workers.ts';
import { blockFor, reserveSlots } from '../../src/supply-points/throttle/throttle.store.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { until } from '../support/until.ts';

// A database with an adjustable clock: its functions `now` and `clock_timestamp` are found before those of Postgres.

const log = createLog({ level: 'silent', process: 'test' });
const clone = await createTestDatabase();
const client = new pg.Client(clone.url);
await client.connect();
await client.query(`
    create schema set_clock;
    create table set_clock.ahead (by interval not null);
    insert into set_clock.ahead values ('0');
    create function set_clock.clock_timestamp() returns timestamptz language sql volatile as
      'select pg_catalog.clock_timestamp() + (select by from set_clock.ahead)';
    create function set_clock.now() returns timestamptz language sql stable as
      'select pg_catalog.now() + (select by from set_clock.ahead)';
    do $$ begin
      execute format('alter database %I set search_path = set_clock, public, pg_catalog', current_database());
    end $$`);
await client.end();
const database = await openDatabase({ url: clone.url, entities, poolSize: 2, log, applicationName: 'test' });
afterAll(async () => {
  await database?.close();
  await clone?.drop();
});
const setClockAhead = (by: string) => database.pool.query('update set_clock.ahead set by = $1', [by]);
beforeEach(() => setClockAhead('0'));

const take = (holder: string) => acquireLease(database, holder);

test.each(['15 minutes', '3 days'])('acquires a free lease immediately after the clock was %s ahead', async (ahead) => {
  await setClockAhead(ahead);
  const lease = await take('one/1');
  await endLease(database, lease!, true);
  await setClockAhead('0');
  const next = await take('two/2');
  expect(next).toBeDefined();
  await endLease(database, next!, true);
});

test('acquires the lease of a process that died while the clock was ahead, and fences off its holder', async () => {
  await setClockAhead('15 minutes');
  const lost = await take('dead/1');
  await setClockAhead('0');
  expect(await readDispatcher(database)).toMatchObject({ holder: 'dead/1', isOverdue: true });
  const next = await acquireLease(database, 'other/2');
  expect(next).toBeDefined();
  await expect(renewLease(database, lost!)).rejects.toThrow(LeaseLost);
  await endLease(database, next!, true);
});

test('acquires a held lease only once after a jump forward, and fences off the former holder', async () => {
  const first = await take('one/1');
  expect(await take('two/2')).toBeUndefined();
  await setClockAhead('15 minutes');
  const second = await take('two/2');
  expect(second).toBeDefined();
  expect(await take('three/3')).toBeUndefined();
  await expect(renewLease(database, first!)).rejects.toThrow(LeaseLost);
  await endLease(database, second!, true);
});

test.each(['15 minutes', '-15 minutes', '20 seconds', '-20 seconds'])(
  'grants throttle slots within a second after the clock was set by %s and back',
  async (jump) => {
    const workerId = '00000000-0000-0000-0000-000000000001';
    await database.pool.query(
      `update throttle set requests_per_second = 10, requests_per_hour = 36000, last_slot_at = '-infinity', blocked_until = '-infinity'`,
    );
    const slots = () => reserveSlots(database, 'enedis', workerId, { wanted: 1, leadMs: 0, clockErrorMs: 0 });
    // At most one second apart, as the speed allows.
    const given = async () => 'count' in (await slots());
    await until(given);
    await setClockAhead(jump);
    const from = performance.now();
    await until(given);
    await setClockAhead('0');
    await until(given);
    const wait = await slots();
    if ('nextRequestMs' in wait) expect(wait.nextRequestMs! - wait.databaseMs).toBeLessThan(1_000);
    expect(performance.now() - from).toBeLessThan(20_000);
  },
);

test('ends waits that were stored while the clock was ahead within a minute after it is set back', async () => {
  const seconds = async (): Promise<Record<string, number>> => {
    const { rows } = await database.pool.query(`
      select workflow_id as name, start_at as moment from work_item
      union all select 'throttle', blocked_until from throttle where network_operator = 'enedis'
      union all select 'party', rests_until from party_health
      union all select 'vendor', ends_at from payment_vendor_rest`);
    const now = (await database.pool.query('select clock_timestamp() as now')).rows[0].now.getTime();
    return Object.fromEntries(rows.map(({ name, moment }) => [name, Math.ceil((moment.getTime() - now) / 60_000)]));
  };
  await database.pool.query(`
    insert into work_item (workflow_id, kind, input, start_at, created_at)
    values ('switch', 'switch-supplier', '{}', clock_timestamp() + interval '12 hours', clock_timestamp() - interval '1 day')`);
  let shortened = 0;
  const watch = watchClock({
    database,
    log,
    everyMs: 20,
    onSetBack: async () => {
      await shortenWaits(database);
      shortened += 1;
    },
  });
  await until(async () => watch.state() === 'ok');
  await setClockAhead('15 minutes');
  await until(async () => watch.state() === 'jumped');
  await database.pool.query(`
    insert into work_item (workflow_id, kind, input, start_at, created_at, held_until)
    values ('create', 'create-account', '{}', clock_timestamp() + interval '30 seconds', clock_timestamp(), null),
      ('new switch', 'switch-supplier', '{}', clock_timestamp() + interval '30 seconds', clock_timestamp(), null),
      ('held switch', 'switch-supplier', '{}', clock_timestamp() + interval '30 seconds', clock_timestamp() - interval '1 day', clock_timestamp() + interval '30 seconds');
    insert into party_health (party, rests_until) values ('enedis', clock_timestamp() + interval '30 seconds');
    insert into payment_vendor_rest (vendor, ends_at) values ('STRIPE', clock_timestamp() + interval '10 seconds')`);
  await blockFor(database, 'enedis', 30);
  await setClockAhead('0');
  await until(async () => shortened > 0);
  await watch.stop();
  expect(await seconds()).toEqual({
    create: 1,
    'new switch': 1,
    'held switch': 1,
    throttle: 1,
    party: 1,
    vendor: 1,
    switch: 720,
  });
});

test('logs a jump of the clock with its size, and reports it in readiness', async () => {
  const lines: { msg: string; jumpSeconds?: number }[] = [];
  const jumpLog = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const watch = watchClock({ database, log: jumpLog, everyMs: 20 });
  let reads = 0;
  await until(async () => (reads += 1) > 5);
  expect(watch.state()).toBe('ok');
  await setClockAhead('15 minutes');
  await until(() => lines.length === 1);
  expect(watch.state()).toBe('jumped');
  await setClockAhead('0');
  await until(() => lines.length === 2);
  await watch.stop();
  expect(lines.map(({ jumpSeconds }) => jumpSeconds)).toEqual([900, -900]);
  expect(lines[0]!.msg).toBe("the database's clock jumped");
});
