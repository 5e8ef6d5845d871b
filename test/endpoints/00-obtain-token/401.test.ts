import { hash } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';

const service = await startService();
afterAll(() => service.stop());

const PATH = '/v1/operations/import-suppliers/';

test('rejects a request without a token', async () => {
  const answer = await service.call('GET', PATH, {});
  expect(answer.status).toBe(401);
  expect(answer.headers).toMatchObject({ 'www-authenticate': 'Token' });
  expect(answer.body).toMatchObject({ code: 'not_authenticated', errors: [] });
});

test.each(['wrong', `gwa_${'A'.repeat(43)}`])('rejects %s as token', async (token) => {
  const answer = await service.call('GET', PATH, { token });
  expect(answer.status).toBe(401);
  expect(answer.headers).toMatchObject({ 'www-authenticate': 'Token' });
  expect(answer.body).toMatchObject({ code: 'authentication_failed', errors: [] });
});

test('accepts neither a refresh token nor an expired token', async () => {
  const key = await service.call('POST', '/v1/operations/api-keys/', {
    token: service.operatorToken,
    body: { organisation: 'Acme', name: 'x', role: 'operator' },
  });
  const query = `mutation { obtainToken(input: {APIKey: "${key.body.api_key}"}) { token refreshToken } }`;
  const { token, refreshToken } = (await service.call('POST', '/graphql/', { body: { query } })).body.data.obtainToken;
  expect((await service.call('GET', PATH, { token: refreshToken })).status).toBe(401);
  await service.database.pool.query('update access_token set expires_at = now() where sha256 = $1', [
    hash('sha256', token, 'buffer'),
  ]);
  expect((await service.call('GET', PATH, { token })).status).toBe(401);
});
