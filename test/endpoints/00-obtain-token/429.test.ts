import { afterAll, expect, test } from '@jest/globals';
import { FAILED_TRIES_MAX, TOKENS_ISSUED_MAX } from '../../../src/access/tokens/failed-tries.store.ts';
import { startService } from '../../support/harness.ts';
import { until } from '../../support/until.ts';

const service = await startService({ settings: { HTTP_PROXIES: '1' } });
afterAll(() => service.stop());

const QUERY = 'mutation ($input: ObtainJSONWebTokenInput!) { obtainToken(input: $input) { token refreshToken } }';
/** The proxy writes the last address; a client can invent the addresses before it. */
const obtain = (input: object, address: string) =>
  service.call('POST', '/graphql/', {
    body: { query: QUERY, variables: { input } },
    headers: { 'x-forwarded-for': `10.9.9.9, ${address}` },
  });
const tryKey = (key: string, address: string) => obtain({ APIKey: key }, address);
const makeKey = async (): Promise<string> =>
  (
    await service.call('POST', '/v1/operations/api-keys/', {
      token: service.operatorToken,
      body: { organisation: 'Acme', name: 'importer', role: 'operator' },
    })
  ).body.api_key;
const wrongKey = (number: number) => `gwk_${String(number).padStart(8, '0')}${'0'.repeat(35)}`;
const wrongAs = (secret: string) => `${secret.slice(0, 20)}${'A'.repeat(secret.length - 20)}`;

const counted = async (): Promise<Map<string, number>> => {
  const { rows } = await service.database.pool.query<{ bucket: Buffer; count: number }>(
    'select bucket, count from counted_attempt',
  );
  return new Map(rows.map(({ bucket, count }) => [bucket.toString('hex'), count]));
};

test('answers 429 after ten failed attempts with one key from one address, for the right key too, and for no other client', async () => {
  const secret = await makeKey();
  for (let count = 0; count < FAILED_TRIES_MAX.key; count += 1) {
    expect((await tryKey(wrongAs(secret), '10.0.0.1')).status).toBe(200);
  }
  const refused = await tryKey(wrongAs(secret), '10.0.0.1');
  expect(refused).toMatchObject({ status: 429, body: { code: 'throttled', errors: [] } });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
  expect((await tryKey(secret, '10.0.0.1')).status).toBe(429);
  expect((await tryKey(secret, '10.0.0.2')).body.data.obtainToken.token).toMatch(/^gwa_/);
  expect((await tryKey(wrongKey(1), '10.0.0.1')).status).toBe(200);
});

test('accepts a key that was valid here before, whatever others try with its first characters', async () => {
  const secret = await makeKey();
  expect((await tryKey(secret, '10.0.0.5')).status).toBe(200);
  for (let count = 0; count < FAILED_TRIES_MAX.key; count += 1) {
    expect((await tryKey(wrongAs(secret), '10.0.0.5')).status).toBe(200);
  }
  expect((await tryKey(wrongAs(secret), '10.0.0.5')).status).toBe(429);
  expect((await tryKey(secret, '10.0.0.5')).body.data.obtainToken.token).toMatch(/^gwa_/);
});

test('counts the addresses of one IPv6 network as one address', async () => {
  for (let count = 0; count < FAILED_TRIES_MAX.key; count += 1) {
    expect((await tryKey(wrongKey(2), `2001:db8:0:1::${count + 1}`)).status).toBe(200);
  }
  expect((await tryKey(wrongKey(2), '2001:db8:0:1:ffff::1')).status).toBe(429);
  expect((await tryKey(wrongKey(2), '2001:db8:0:2::1')).status).toBe(200);
});

test('answers 429 after a hundred unknown keys from one address, and only for keys that were never issued', async () => {
  const secret = await makeKey();
  for (let count = 0; count < FAILED_TRIES_MAX.network; count += 1) {
    expect((await tryKey(wrongKey(count), '10.0.0.3')).status).toBe(200);
  }
  expect((await tryKey(wrongKey(9_999), '10.0.0.3')).status).toBe(429);
  expect((await obtain({ refreshToken: `gwr_${'0'.repeat(43)}` }, '10.0.0.3')).status).toBe(429);
  expect((await tryKey(secret, '10.0.0.3')).body.data.obtainToken.token).toMatch(/^gwa_/);
});

test('does not count valid attempts towards the limit of the address', async () => {
  const secret = await makeKey();
  for (let count = 0; count < FAILED_TRIES_MAX.key - 1; count += 1) {
    expect((await tryKey(wrongAs(secret), '10.0.0.6')).status).toBe(200);
  }
  const before = await counted();
  expect((await tryKey(secret, '10.0.0.6')).status).toBe(200);
  // A valid attempt is uncounted when it has been answered.
  await until(async () => [...(await counted())].every(([bucket, count]) => count === (before.get(bucket) ?? count)));
  expect((await tryKey(wrongAs(secret), '10.0.0.6')).status).toBe(200);
  expect((await tryKey(wrongAs(secret), '10.0.0.6')).status).toBe(429);
});

test('limits the tokens of a key per minute, and keeps a refresh token that comes too soon valid', async () => {
  const secret = await makeKey();
  const first = (await tryKey(secret, '10.0.0.7')).body.data.obtainToken;
  let latest = first;
  for (let count = 1; count < TOKENS_ISSUED_MAX; count += 1) {
    latest = (await obtain({ refreshToken: latest.refreshToken }, '10.0.0.7')).body.data.obtainToken;
  }
  expect(await tryKey(secret, '10.0.0.7')).toMatchObject({ status: 429, body: { code: 'throttled' } });
  expect(await obtain({ refreshToken: latest.refreshToken }, '10.0.0.8')).toMatchObject({ status: 429 });
  await service.database.pool.query('delete from counted_attempt');
  expect((await obtain({ refreshToken: latest.refreshToken }, '10.0.0.7')).body.data.obtainToken.token).toMatch(
    /^gwa_/,
  );
});
