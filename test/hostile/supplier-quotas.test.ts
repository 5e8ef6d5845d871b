import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../support/account-payload.ts';
import { startApi } from '../support/api-process.ts';
import { send, startService } from '../support/harness.ts';
import { points } from '../support/population.ts';
import { until } from '../support/until.ts';

// One supplier exceeds its quotas with concurrent requests; another one works beside it.

const service = await startService();
afterAll(() => service.stop());
for (const code of ['ACME', 'OTHER']) await setOptions(code, {});
const [acme, other] = [await service.supplierToken(['ACME']), await service.supplierToken(['OTHER'])];

async function setOptions(code: string, options: object): Promise<void> {
  const answer = await service.call('PUT', `/v1/operations/import-suppliers/${code}/`, {
    token: service.operatorToken,
    body: { options },
  });
  expect([200, 201]).toContain(answer.status);
}

const list = (token: string, code: string) =>
  service.call('GET', `/v1/data-import/all-account-import-processes/${code}/`, { token });
const stage = (token: string, code: string, number: string) =>
  service.call('POST', '/v1/data-import/account-import-process/create-or-update/', {
    token,
    body: domesticAccount({ import_supplier: code, external_account_number: number }),
  });
const populate = (token: string, from: number) =>
  service.call('POST', '/v1/data-import/supply-point/populate/', { token, body: { prm_ids: points(1, from) } });
const countOf = (answers: readonly { status: number }[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

test('enforces the quota of requests per second with 429, Retry-After and RateLimit headers', async () => {
  await setOptions('ACME', { requests_per_second: 5 });
  const began = performance.now();
  const answers = await Promise.all(Array.from({ length: 60 }, () => list(acme, 'ACME')));
  const seconds = (performance.now() - began) / 1_000;
  expect(countOf(answers, 200)).toBeGreaterThanOrEqual(5);
  expect(countOf(answers, 200)).toBeLessThanOrEqual(5 + Math.ceil(5 * seconds));
  const refused = answers.find(({ status }) => status === 429)!;
  expect(refused).toMatchObject({
    body: { code: 'throttled', errors: [] },
    headers: { 'retry-after': '1', 'ratelimit-policy': '"requests";q=5;w=1', ratelimit: '"requests";r=0;t=1' },
  });
  const otherAnswers = await Promise.all(Array.from({ length: 20 }, () => list(other, 'OTHER')));
  expect(countOf(otherAnswers, 200)).toBe(20);
  expect(otherAnswers[0]!.headers['ratelimit']).toBeUndefined();
  await new Promise((resolve) => {
    setTimeout(resolve, 1_000);
  });
  expect(await list(acme, 'ACME')).toMatchObject({ status: 200, headers: { ratelimit: '"requests";r=4;t=1' } });
  await setOptions('ACME', { requests_per_second: null });
  expect((await list(acme, 'ACME')).headers['ratelimit']).toBeUndefined();
});

test('counts the requests of a supplier over two API processes', async () => {
  const [quota, seconds] = [5, 4];
  const second = await startApi(service);
  try {
    await setOptions('ACME', { requests_per_second: quota });
    const read = (url: string) =>
      send(url, 'GET', '/v1/data-import/all-account-import-processes/ACME/', { token: acme });
    // An option applies within a second.
    await until(async () => (await read(second.url)).headers['ratelimit'] !== undefined);
    const began = performance.now();
    const elapsed = () => (performance.now() - began) / 1_000;
    let accepted = 0;
    while (elapsed() < seconds) {
      accepted += countOf(await Promise.all([read(service.url), read(second.url)]), 200);
    }
    // Beside the quota: a burst of each process, and what they accept before they know of each other. Separate quotas would accept 50.
    expect(accepted).toBeLessThanOrEqual(quota * (elapsed() + 3));
    expect(accepted).toBeGreaterThanOrEqual(quota);
  } finally {
    await second.kill();
    await setOptions('ACME', { requests_per_second: null });
  }
});

test('enforces the quota of staged accounts for concurrent requests', async () => {
  await setOptions('ACME', { staged_accounts_max: 3 });
  const answers = await Promise.all(Array.from({ length: 10 }, (_, number) => stage(acme, 'ACME', `Q-${number}`)));
  expect([countOf(answers, 201), countOf(answers, 429)]).toEqual([3, 7]);
  expect(answers.find(({ status }) => status === 429)).toMatchObject({
    body: { code: 'throttled' },
    headers: { 'retry-after': '30' },
  });
  const { rows } = await service.database.pool.query(
    "select external_account_number as number from import_process where import_supplier = 'ACME'",
  );
  expect(rows).toHaveLength(3);
  expect((await stage(acme, 'ACME', rows[0].number)).status).toBe(200);
  expect((await stage(acme, 'ACME', 'Q-new')).status).toBe(429);
  expect((await stage(other, 'OTHER', 'Q-other')).status).toBe(201);
  await setOptions('ACME', { staged_accounts_max: 4 });
  expect((await stage(acme, 'ACME', 'Q-new')).status).toBe(201);
  await setOptions('ACME', { staged_accounts_max: null });
  expect((await stage(acme, 'ACME', 'Q-more')).status).toBe(201);
});

test('enforces the quota of open batches for concurrent requests', async () => {
  await setOptions('ACME', { open_batches_max: 2 });
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, number) => populate(acme, 25_000_000_000_000 + number)),
  );
  expect([countOf(answers, 201), countOf(answers, 429)]).toEqual([2, 4]);
  expect(answers.find(({ status }) => status === 429)).toMatchObject({
    body: { code: 'throttled' },
    headers: { 'retry-after': '60' },
  });
  expect((await populate(other, 25_000_000_000_100)).status).toBe(201);
  await service.database.pool.query(
    "update population_batch set status = 'COMPLETED', ended_at = now() where id = (select id from population_batch where status = 'IN_PROGRESS' order by id limit 1)",
  );
  expect((await populate(acme, 25_000_000_000_200)).status).toBe(201);
});

test.each([0, -1, 1.5, '5', true, 1e9])('rejects a quota of %p', async (value) => {
  for (const option of ['requests_per_second', 'staged_accounts_max', 'open_batches_max']) {
    const answer = await service.call('PUT', '/v1/operations/import-suppliers/ACME/', {
      token: service.operatorToken,
      body: { options: { [option]: value } },
    });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ attr: `options.${option}`, code: 'invalid' }] } });
  }
});
