import { afterAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { send } from '../../support/harness.ts';
import { until } from '../../support/until.ts';
import { points, POPULATE, startPopulation } from '../../support/population.ts';

// Many concurrent large status calls of one organisation wait for each other, and never delay others.

const LARGE = 30;
/** Small calls of one organisation that query the database concurrently. */
const SMALL_AT_ONCE = 3;
/** Long responses that a key may read concurrently (src/platform/http/long-answers.ts). */
const LARGE_AT_ONCE = 4;
const IDENTIFIERS = 100_000;
const FIRST = 41_000_000_000_000;

const service = await startPopulation({ worker: false });
afterAll(() => service.stop());
const other = await service.supplierToken(['SUPPLIER_FR']);
const large = await service.populate(points(IDENTIFIERS, FIRST));
await service.database.pool.query(
  `
    with wanted as (select n, i.identifier from population_chunk c, unnest(c.identifiers) with ordinality as i (identifier, n) where c.batch_id = $1 and c.chunk < 40 order by c.chunk, n),
    found as (insert into look_up (network_operator, identifier, state, completed_at) select 'enedis', identifier, 'imported', now() from wanted returning id)
    insert into population_request (batch_id, network_operator, look_up_id, state) select $1, 'enedis', id, 'imported' from found`,
  [large],
);
await service.database.pool.query(`delete from population_chunk where batch_id = $1 and chunk < 40`, [large]);
await service.database.pool.query(`update population_operator_progress set imported = 40000 where batch_id = $1`, [
  large,
]);
const accepted = await service.call('POST', POPULATE, { token: other, body: { prm_ids: ['42000000000001'] } });
const small: string = accepted.body.batch_id;
// All imported: its status reads nothing that the test locks.
await service.database.pool.query(
  `with moved as (update population_request set state = 'imported' where batch_id = $1) update population_operator_progress set imported = 1 where batch_id = $1`,
  [small],
);

const requestLarge = () =>
  send(service.url, 'GET', `${POPULATE}${large}/?limit=${IDENTIFIERS}`, { token: service.token });
const requestSmall = () => send(service.url, 'GET', `${POPULATE}${small}/`, { token: other });
const timed = async (what: string) => {
  const from = performance.now();
  const answer = await requestSmall();
  if (process.env['FIGURES']) {
    process.stderr.write(`large lists: ${what}: the small call took ${Math.round(performance.now() - from)} ms\n`);
  }
  return answer;
};

test('returns all identifiers in the same form as a few', async () => {
  const { status, body } = await service.call('GET', `${POPULATE}${large}/?limit=${IDENTIFIERS}`, {
    token: service.token,
  });
  expect(status).toBe(200);
  const brief = await service.call('GET', `${POPULATE}${large}/?limit=100`, { token: service.token });
  expect(Object.keys(body).sort()).toEqual(Object.keys(brief.body).sort());
  const lists = ['imported_requests', 'pending_requests', 'errored_requests', 'set_aside_requests', 'imported_results'];
  const rest = (of: any) =>
    Object.fromEntries(Object.entries(of).filter(([name]) => !lists.includes(name) && name !== 'truncated'));
  expect(rest(body)).toEqual(rest(brief.body));
  expect(body.imported_requests).toEqual({ prm_ids: points(40_000, FIRST), pce_ids: [] });
  expect(body.pending_requests).toEqual({ prm_ids: points(60_000, FIRST + 40_000), pce_ids: [] });
  expect({ ...body, truncated: [body.truncated, brief.body.truncated] }).toMatchObject({
    truncated: [false, true],
    errored_requests: { prms: [], pces: [] },
    set_aside_requests: { prms: [], pces: [] },
  });
  // A limit within a page, and one that ends in the middle of a page.
  const cut = await service.status(large, '?limit=1500');
  expect(cut.imported_requests.prm_ids).toEqual(points(1_500, FIRST));
  expect(cut.pending_requests.prm_ids).toEqual(points(1_500, FIRST + 40_000));
});

test('serves a small call beside large ones of another key, and rejects large calls beyond the limit', async () => {
  const holder = new pg.Client({ connectionString: service.settings.DATABASE_URL });
  const owner = await service.database.pool.connect();
  try {
    await owner.query('begin');
    await owner.query('lock table population_chunk in access exclusive mode');
    const answers = Promise.all(Array.from({ length: LARGE }, async () => requestLarge()));
    await holder.connect();
    const held = async () =>
      (
        await holder.query<{ name: string; count: number }>(
          `select application_name as name, count(*)::integer as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' group by 1`,
        )
      ).rows;
    await until(async () => (await held())[0]?.count === LARGE_AT_ONCE);
    expect(await timed('while the large ones are blocked')).toMatchObject({
      status: 200,
      body: { imported_requests: { prm_ids: ['42000000000001'] } },
    });
    expect(await held()).toEqual([{ name: 'gangway-lists', count: LARGE_AT_ONCE }]);
    // The others wait for two seconds; the lock is held longer.
    await new Promise((resolve) => {
      setTimeout(resolve, 2_200);
    });
    expect(await held()).toEqual([{ name: 'gangway-lists', count: LARGE_AT_ONCE }]);
    await owner.query('rollback');
    const found = await answers;
    const served = found.filter(({ status }) => status === 200);
    const refused = found.filter(({ status }) => status === 429);
    expect(served).toHaveLength(LARGE_AT_ONCE);
    for (const { body } of served) {
      expect([body.imported_requests.prm_ids.length, body.pending_requests.prm_ids.length]).toEqual([40_000, 60_000]);
    }
    expect(refused).toHaveLength(LARGE - LARGE_AT_ONCE);
    for (const { body, headers } of refused) {
      expect([body.code, Number(headers['retry-after']) > 0]).toEqual(['throttled', true]);
    }
  } finally {
    await owner.query('rollback');
    owner.release();
    await holder.end();
  }
});

test('holds few connections for many concurrent small calls of one organisation, and answers all', async () => {
  const holder = new pg.Client({ connectionString: service.settings.DATABASE_URL });
  const owner = await service.database.pool.connect();
  try {
    await owner.query('begin');
    await owner.query('lock table population_chunk in access exclusive mode');
    const answers = Promise.all(Array.from({ length: LARGE }, () => service.status(large)));
    await holder.connect();
    const held = async () =>
      (
        await holder.query<{ count: number }>(
          `select count(*)::integer as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
      ).rows[0]!.count;
    await until(async () => (await held()) >= SMALL_AT_ONCE);
    expect(await timed('while the small ones are blocked')).toMatchObject({ status: 200 });
    expect(await held()).toBe(SMALL_AT_ONCE);
    await owner.query('rollback');
    for (const body of await answers) expect(body).toMatchObject({ batch_id: large, truncated: true });
  } finally {
    await owner.query('rollback');
    owner.release();
    await holder.end();
  }
}, 60_000);

test('releases slots of completed responses and of clients that hung up', async () => {
  for (let round = 0; round < 3; round += 1) {
    const hangUp = new AbortController();
    const disconnected = await Promise.all(
      Array.from({ length: LARGE_AT_ONCE }, () =>
        fetch(`${service.url}${POPULATE}${large}/?limit=${IDENTIFIERS}`, {
          headers: { authorization: `Token ${service.token}` },
          signal: hangUp.signal,
        }),
      ),
    );
    expect(disconnected.map(({ status }) => status)).toEqual(Array.from({ length: LARGE_AT_ONCE }, () => 200));
    hangUp.abort();
  }
  expect((await requestLarge()).status).toBe(200);
});

test('answers a small call during 30 concurrent large calls', async () => {
  const before = process.memoryUsage().rss;
  let most = 0;
  const look = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss - before);
  }, 20);
  const from = performance.now();
  const drain = async () => {
    const answer = await fetch(`${service.url}${POPULATE}${large}/?limit=${IDENTIFIERS}`, {
      headers: { authorization: `Token ${service.token}` },
    });
    for await (const piece of answer.body!) void piece;
    return answer.status;
  };
  const statuses = Promise.all(Array.from({ length: LARGE }, drain));
  await new Promise((resolve) => {
    setTimeout(resolve, 100);
  });
  expect(await timed('beside the large ones')).toMatchObject({ status: 200 });
  expect(await timed('beside the large ones')).toMatchObject({ status: 200 });
  const counts = (await statuses).reduce<Record<number, number>>(
    (sum, status) => ({ ...sum, [status]: (sum[status] ?? 0) + 1 }),
    {},
  );
  clearInterval(look);
  if (process.env['FIGURES']) {
    process.stderr.write(
      `large lists: ${JSON.stringify(counts)} in ${Math.round(performance.now() - from)} ms, memory up by ${Math.round(most / 1e6)} MB at most (client and service together)\n`,
    );
  }
  expect(Object.keys(counts).every((status) => ['200', '429'].includes(status))).toBe(true);
  expect(most).toBeLessThan(300e6);
});
