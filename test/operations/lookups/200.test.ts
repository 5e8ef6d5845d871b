import { afterAll, afterEach, expect, test } from '@jest/globals';
import { until } from '../../support/until.ts';
import { points, startPopulation, sums } from '../../support/population.ts';

const service = await startPopulation();
afterAll(() => service.stop());
afterEach(() => {
  // A network operator that a failed test leaves down would delay each of the others by a time limit.
  for (const operator of [service.enedis, service.grdf]) operator.mood('well');
});

const stuck = async () =>
  (await service.call('GET', '/v1/operations/stuck/', { token: service.operatorToken })).body.stuck.filter(
    (one: any) => one.network_operator !== null,
  );

test('keeps identifiers pending while a network operator is down, shows the reason, and continues immediately on retry', async () => {
  service.enedis.mood('down');
  const batchId = await service.populate(points(60, 43_000_000_000_000), points(5, 44_000_000_000_000));
  // The other network operator is called concurrently; its run is pending until it has ended.
  await until(async () => sums(await service.status(batchId)).imported === 5);
  let waiting: any[] = [];
  await until(async () => {
    waiting = await stuck();
    return waiting.length === 1 && waiting[0].last_failure?.type === 'vendor_unavailable';
  }, 200);
  expect(waiting).toMatchObject([
    {
      kind: 'look-up-supply-points',
      network_operator: 'enedis',
      accounts: [],
      batch_id: null,
      last_failure: { message: expect.stringContaining('Enedis SGE') },
    },
  ]);
  // The other network operator is called concurrently.
  await until(async () => sums(await service.status(batchId)).imported === 5);
  expect(sums(await service.status(batchId))).toEqual({ accepted: 65, imported: 5, pending: 60, errored: 0 });
  expect((await service.database.pool.query('select max(tries)::integer as tries from look_up')).rows).toEqual([
    { tries: 0 },
  ]);
  service.enedis.mood('well');
  await service.call('POST', `/v1/operations/stuck/${waiting[0].id}/retry/`, { token: service.operatorToken });
  expect(sums(await service.ended(batchId))).toEqual({ accepted: 65, imported: 65, pending: 0, errored: 0 });
  await until(async () => (await stuck()).length === 0, 200);
});

test('pauses the pages of a network operator on our misconfiguration, shows it, and resumes automatically after the fix', async () => {
  service.grdf.mood('misconfigured');
  const batchId = await service.populate(points(3, 45_000_000_000_000), points(30, 46_000_000_000_000));
  await until(
    async () =>
      (await stuck()).some(
        (one: any) => one.network_operator === 'grdf' && one.last_failure?.type === 'vendor_misconfigured',
      ),
    200,
  );
  await until(async () => sums(await service.status(batchId)).imported === 3);
  expect(sums(await service.status(batchId))).toEqual({ accepted: 33, imported: 3, pending: 30, errored: 0 });
  service.grdf.mood('well');
  expect(sums(await service.ended(batchId))).toEqual({ accepted: 33, imported: 33, pending: 0, errored: 0 });
});

test('treats busy as a wait and never as a failure', async () => {
  const batchId = await service.populate([...points(5, 47_000_000_000_000), '99100200000047']);
  expect(sums(await service.ended(batchId))).toEqual({ accepted: 6, imported: 6, pending: 0, errored: 0 });
  const { rows } = await service.database.pool.query(`select tries from look_up where identifier = '99100200000047'`);
  expect(rows).toEqual([{ tries: 0 }]);
});

test('retries a single failing identifier after a pause, beside others that are answered', async () => {
  const batchId = await service.populate([...points(5, 48_000_000_000_000), '99110100000048']);
  await until(async () => sums(await service.status(batchId)).imported >= 5);
  expect(sums(await service.ended(batchId))).toEqual({ accepted: 6, imported: 6, pending: 0, errored: 0 });
  const { rows } = await service.database.pool.query(`select tries from look_up where identifier = '99110100000048'`);
  expect(rows).toEqual([{ tries: 1 }]);
});

test('looks an errored identifier up for every batch that contains it, and an imported one not again', async () => {
  const [first, second] = [
    await service.populate(['99010000000049']),
    await service.populate(['99010000000049', '49000000000001']),
  ];
  await service.ended(first);
  expect(await service.ended(second)).toMatchObject({
    errored_requests: { prms: [{ id: '99010000000049', errored_reason: 'EPRM-SGT4G3' }] },
  });
  const before = service.enedis.calls.length;
  const retry = (identifier: string) =>
    service.call('POST', `/v1/operations/look-ups/enedis/${identifier}/retry/`, { token: service.operatorToken });
  expect((await retry('99010000000049')).body).toEqual({
    network_operator: 'enedis',
    identifier: '99010000000049',
    retried: 1,
  });
  for (const batchId of [first, second]) {
    expect(await service.ended(batchId)).toMatchObject({ status: 'COMPLETED', counts: { errored: { prm_ids: 1 } } });
  }
  expect(service.enedis.calls.length - before).toBe(1);
  expect((await retry('49000000000001')).body).toMatchObject({ retried: 0 });
  const batch = await service.call('POST', `/v1/operations/population-batches/${second}/retry/`, {
    token: service.operatorToken,
  });
  expect(batch.body).toMatchObject({ retried: 1 });
  await service.ended(second);
});

test('looks identifiers up once that two batches share, and counts them in both', async () => {
  await service.setSpeed('enedis', 0);
  const shared = points(150, 50_000_000_000_000);
  const batches = [
    await service.populate(shared),
    await service.populate([...shared, ...points(10, 51_000_000_000_000)]),
  ];
  const before = service.enedis.calls.length;
  await service.setSpeed('enedis', 1_000);
  const ended = await Promise.all(batches.map((batchId) => service.ended(batchId)));
  expect(ended.map(sums)).toEqual([
    { accepted: 150, imported: 150, pending: 0, errored: 0 },
    { accepted: 160, imported: 160, pending: 0, errored: 0 },
  ]);
  expect(service.enedis.calls.length - before).toBe(160);
});

test('gives a batch of 100 its share immediately behind one of 100,000', async () => {
  await service.setSpeed('enedis', 100);
  const large = await service.populate(points(100_000, 52_000_000_000_000));
  await until(async () => sums(await service.status(large)).imported > 0);
  const small = await service.populate(points(100, 53_000_000_000_000));
  await service.ended(small);
  expect(sums(await service.status(large)).pending).toBeGreaterThan(90_000);
  await service.call('POST', `/v1/operations/population-batches/${large}/cancel/`, { token: service.operatorToken });
});
