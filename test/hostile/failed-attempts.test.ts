import { afterAll, expect, test } from '@jest/globals';
import { startApi } from '../support/api-process.ts';
import { send, startService, type Answer } from '../support/harness.ts';
import { until } from '../support/until.ts';

// Keys over several real processes: a revoked one, and concurrent guesses.

/** How long a cached token may be accepted after its key was revoked. */
const KNOWN_FOR_MS = 1_000;
const AT_ONCE = 300;
const QUERY = 'mutation ($key: String!) { obtainToken(input: { APIKey: $key }) { token } }';

/** Of all processes, including that of the test. */
const service = await startService();
const processes = await Promise.all([
  startApi(service, { HTTP_PROXIES: '1' }),
  startApi(service, { HTTP_PROXIES: '1' }),
]);
const urls: string[] = [service.url, ...processes.map(({ url }) => url)];
afterAll(async () => {
  for (const process of processes) await process.kill();
  await service.stop();
});

const obtain = (url: string, key: string, address: string) =>
  send(url, 'POST', '/graphql/', {
    body: { query: QUERY, variables: { key } },
    headers: { 'x-forwarded-for': address },
  });
const makeKey = async (more: object = { role: 'operator' }): Promise<{ id: string; api_key: string }> =>
  (
    await service.call('POST', '/v1/operations/api-keys/', {
      token: service.operatorToken,
      body: { organisation: 'Acme', name: 'importer', ...more },
    })
  ).body;
const urlOf = (number: number) => processes[number % processes.length]!.url;

const tokenOf = async (url: string, key: string): Promise<string | undefined> =>
  (await obtain(url, key, '192.0.2.9')).body.data?.obtainToken?.token;
const onEach = async (use: (url: string) => Promise<Answer>): Promise<number[]> =>
  (await Promise.all(urls.map(use))).map(({ status }) => status);
const list = (token: string) => (url: string) =>
  send(url, 'GET', '/v1/data-import/all-account-import-processes/SUPPLIER_FR/', { token });

test('accepts old and new key during a rotation, and rejects a revoked key on every process within a second', async () => {
  const ofSupplier = { role: 'supplier', import_suppliers: ['SUPPLIER_FR'] };
  const [old, next] = [await makeKey(ofSupplier), await makeKey(ofSupplier)];
  const [oldToken, newToken] = [
    await tokenOf(processes[0].url, old.api_key),
    await tokenOf(processes[1].url, next.api_key),
  ] as [string, string];
  expect(await onEach(list(oldToken))).toEqual([200, 200, 200]);
  expect(await onEach(list(newToken))).toEqual([200, 200, 200]);

  // The other two processes are not notified; they have just cached the token.
  expect(
    (await send(processes[0].url, 'DELETE', `/v1/operations/api-keys/${old.id}/`, { token: service.operatorToken }))
      .status,
  ).toBe(200);
  await new Promise((resolve) => {
    setTimeout(resolve, KNOWN_FOR_MS);
  });
  expect(await onEach(list(oldToken))).toEqual([401, 401, 401]);
  expect(await onEach(list(newToken))).toEqual([200, 200, 200]);
  expect(await Promise.all(urls.map((url) => tokenOf(url, old.api_key)))).toEqual([undefined, undefined, undefined]);
});

/** Guesses that reached the database. */
const acceptedOf = (answers: readonly Answer[]) =>
  answers.filter(({ body }) => body.errors?.[0]?.extensions?.errorCode === 'KT-CT-1139').length;

test('checks ten of 300 concurrent guesses of a key over two processes', async () => {
  const { api_key: secret } = await makeKey();
  const guess = `${secret.slice(0, 20)}${'A'.repeat(secret.length - 20)}`;
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, number) => obtain(urlOf(number), guess, '192.0.2.1')),
  );
  expect(acceptedOf(answers)).toBeLessThanOrEqual(10);
  expect(acceptedOf(answers)).toBeGreaterThan(0);
  expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(AT_ONCE - 20);
});

test('counts guesses over all processes', async () => {
  const key = `gwk_${'b'.repeat(43)}`;
  const statuses: number[] = [];
  for (let number = 0; number < 12; number += 1) statuses.push((await obtain(urlOf(number), key, '192.0.2.2')).status);
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429, 429]);
});

test('locks out no issued key when a proxy sends 300 guesses of other keys', async () => {
  const { api_key: secret } = await makeKey();
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, number) =>
      obtain(urlOf(number), `gwk_${String(number).padStart(43, '0')}`, '192.0.2.3'),
    ),
  );
  expect(acceptedOf(answers)).toBeLessThanOrEqual(100);
  expect(acceptedOf(answers)).toBeGreaterThan(0);
  expect(answers.some(({ status }) => status === 429)).toBe(true);
  for (const { url } of processes) {
    expect((await obtain(url, secret, '192.0.2.3')).body.data.obtainToken.token).toMatch(/^gwa_/);
  }
});

test('limits the tokens of one key per minute', async () => {
  const { api_key: secret } = await makeKey();
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, number) => obtain(urlOf(number), secret, '192.0.2.4')),
  );
  const issued = answers.filter(({ body }) => body.data?.obtainToken?.token !== undefined).length;
  expect(issued).toBeLessThanOrEqual(60);
  expect(issued).toBeGreaterThan(0);
  expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(80);
});

test('leaves database connections to others while failed attempts wait for each other', async () => {
  const token = await service.supplierToken(['SUPPLIER_FR']);
  const { url } = processes[0];
  const waitingForTheLock = async () =>
    (
      await service.database.pool.query(
        `select count(*)::integer as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).rows[0].count as number;
  const holder = await service.database.pool.connect();
  let guesses: Promise<Answer[]>;
  try {
    await holder.query('begin');
    await holder.query('lock table counted_attempt');
    guesses = Promise.all(
      Array.from({ length: 90 }, (_, number) => obtain(url, `gwk_${String(number).padStart(43, 'c')}`, '192.0.2.5')),
    );
    await until(async () => (await waitingForTheLock()) > 0);
    // Pages, because whole lists are limited to four at once per caller.
    const served = await Promise.all(
      Array.from({ length: 20 }, () =>
        send(url, 'GET', '/v1/data-import/all-account-import-processes/SUPPLIER_FR/?limit=1', { token }),
      ),
    );
    expect(served.map(({ status }) => status)).toEqual(Array(20).fill(200));
    // None of the guesses was answered meanwhile.
    expect(await waitingForTheLock()).toBeGreaterThan(0);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  expect((await guesses).some(({ status }) => status === 200)).toBe(true);
});
