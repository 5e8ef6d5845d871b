import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { FAILED_TRIES_MAX } from '../../../src/access/failed-tries.rules.ts';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
let secret: string;
beforeAll(async () => {
  service = await startService({ settings: { HTTP_PROXIES: '1' } });
  secret = (await service.call('POST', '/v1/operations/api-keys/', { token: service.operatorToken, body: { organisation: 'Acme', name: 'importer', role: 'operator' } })).body.api_key;
});
afterAll(async () => { await service.stop(); });

const QUERY = 'mutation ($key: String!) { obtainToken(input: { APIKey: $key }) { token } }';
/** The proxy in front writes the last address; what stands before it a client can make up. */
const obtain = (key: string, address: string) => service.call('POST', '/graphql/', { body: { query: QUERY, variables: { key } }, headers: { 'x-forwarded-for': `10.9.9.9, ${address}` } });
const wrongKey = (number: number) => `gwk_${String(number).padStart(8, '0')}${'0'.repeat(35)}`;
const wrongAsSecret = () => `${secret.slice(0, 20)}${'A'.repeat(secret.length - 20)}`;

test('failed tries with one key from one address: 429 after ten, for the right key too, and for nobody else', async () => {
  for (let count = 0; count < FAILED_TRIES_MAX.key; count += 1) expect((await obtain(wrongAsSecret(), '10.0.0.1')).status).toBe(200);
  const refused = await obtain(wrongAsSecret(), '10.0.0.1');
  expect(refused).toMatchObject({ status: 429, body: { code: 'throttled', errors: [] } });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
  expect((await obtain(secret, '10.0.0.1')).status).toBe(429);
  expect((await obtain(secret, '10.0.0.2')).body.data.obtainToken.token).toMatch(/^gwa_/);
  expect((await obtain(wrongKey(1), '10.0.0.1')).status).toBe(200);
});

test('one key after the other from one address: 429 after a hundred', async () => {
  for (let count = 0; count < FAILED_TRIES_MAX.address; count += 1) expect((await obtain(wrongKey(count), '10.0.0.3')).status).toBe(200);
  expect((await obtain(secret, '10.0.0.3')).status).toBe(429);
});
