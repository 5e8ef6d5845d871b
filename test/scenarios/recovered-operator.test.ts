import { afterAll, afterEach, expect, test } from '@jest/globals';
import { until } from '../support/until.ts';
import { points, POPULATE, startPopulation, sums } from '../support/population.ts';

// Worker, Temporal, Postgres and API run; the network operator is down for a while, or called by many clients at
// once.

const DOWN_SECONDS = Number(process.env['DOWN_SECONDS'] ?? 12);
const BATCHES = Number(process.env['FAIR_BATCHES'] ?? 8);
const SPEED = 100;

const service = await startPopulation({ perSecond: SPEED });
afterAll(() => service.stop());
const other = await service.supplierToken(['SUPPLIER_FR']);
// Otherwise a failed test would make the other wait for its time limit.
afterEach(() => service.enedis.mood('well'));

const say = (text: string) => {
  if (process.env['FIGURES']) process.stderr.write(`healed operator: ${text}\n`);
};
const secondsSince = (from: number) => ((performance.now() - from) / 1_000).toFixed(1);
const sendAs = async (token: string, prmIds: readonly string[]): Promise<string> =>
  (await service.call('POST', POPULATE, { token, body: { prm_ids: prmIds } })).body.batch_id;
const statusAs = async (token: string, batchId: string) =>
  (await service.call('GET', `${POPULATE}${batchId}/`, { token })).body;
const pendingWork = async () =>
  Number((await service.database.pool.query('select count(*) from work_item')).rows[0].count);

test('ends all batches after a network operator was down and recovered', async () => {
  const batches: [token: string, batchId: string][] = [];
  service.enedis.mood('down');
  for (let batch = 0; batch < 8; batch += 1) {
    const token = batch % 2 === 0 ? service.token : other;
    batches.push([token, await sendAs(token, points(100, 43_000_000_000_000 + batch * 1_000))]);
  }
  const downUntil = performance.now() + DOWN_SECONDS * 1_000;
  await until(() => performance.now() > downUntil && service.enedis.calls.length > 0);
  expect(await pendingWork()).toBe(batches.length + 1);
  service.enedis.mood('well');
  const healed = performance.now();
  const called = service.enedis.calls.length;
  await until(() => service.enedis.calls.length > called);
  say(`down for ${DOWN_SECONDS} s; asked again ${secondsSince(healed)} s after healing`);
  for (const [token, batchId] of batches) {
    await until(async () => (await statusAs(token, batchId)).status === 'COMPLETED', 200);
  }
  say(`all ${batches.length} batches of 100 ended ${secondsSince(healed)} s after healing`);
  await until(async () => (await pendingWork()) === 0, 100);
  say(`nothing is owed ${secondsSince(healed)} s after healing`);
  for (const [token, batchId] of batches) {
    expect(sums(await statusAs(token, batchId))).toEqual({ accepted: 100, imported: 100, pending: 0, errored: 0 });
  }
}, 600_000);

test('does not delay the few points of one organisation behind many batches of another', async () => {
  let from = performance.now();
  const alone = await sendAs(other, points(5, 44_000_000_000_000));
  await until(async () => (await statusAs(other, alone)).status === 'COMPLETED');
  say(`5 points alone: ${secondsSince(from)} s`);
  const many: string[] = [];
  for (let batch = 0; batch < BATCHES; batch += 1) {
    many.push(await sendAs(service.token, points(1_000, 45_000_000_000_000 + batch * 10_000)));
  }
  await until(
    async () =>
      (await service.database.pool.query('select count(*)::integer as pages from look_up_page')).rows[0].pages === 4,
  );
  from = performance.now();
  const called = service.enedis.calls.length;
  const few = await sendAs(other, points(5, 44_100_000_000_000));
  await until(async () => (await statusAs(other, few)).status === 'COMPLETED');
  const between = service.enedis.calls.slice(called).filter(({ identifier }) => identifier.startsWith('45')).length;
  say(
    `5 points while another has ${BATCHES} batches of 1,000: ${secondsSince(from)} s, ${between} calls for the other meanwhile, at ${SPEED} a second`,
  );
  expect(between).toBeLessThan((BATCHES * 1_000) / 2);
  const left = await Promise.all(many.map(async (batchId) => sums(await statusAs(service.token, batchId)).pending));
  expect(left.reduce((sum, one) => sum + one, 0)).toBeGreaterThan((BATCHES * 1_000) / 2);
  for (const batchId of many) {
    await service.call('POST', `/v1/operations/population-batches/${batchId}/cancel/`, {
      token: service.operatorToken,
    });
  }
}, 600_000);
