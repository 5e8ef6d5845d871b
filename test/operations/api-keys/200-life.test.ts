import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';
import { until } from '../../support/until.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());

const OBTAIN = 'mutation ($key: String!) { obtainToken(input: { APIKey: $key }) { token refreshToken } }';
const REFRESH = 'mutation ($token: String!) { obtainToken(input: { refreshToken: $token }) { token } }';
const obtain = async (query: string, variables: object) =>
  (await service.call('POST', '/graphql/', { body: { query, variables } })).body;
const makeKey = async (more: object) =>
  (
    await service.call('POST', '/v1/operations/api-keys/', {
      token: service.operatorToken,
      body: { organisation: 'Ops', name: 'console', role: 'operator', ...more },
    })
  ).body;
const viewOf = async (id: string) =>
  (await service.call('GET', '/v1/operations/api-keys/', { token: service.operatorToken })).body.find(
    (key: { id: string }) => key.id === id,
  );
const use = async (token: string) => (await service.call('GET', '/v1/operations/import-suppliers/', { token })).status;

test('issues no token for an expired key, and ends its tokens within a second', async () => {
  const { id, api_key: key } = await makeKey({ expires_at: '2099-12-31T00:00:00+01:00' });
  expect((await viewOf(id)).expires_at).toBe('2099-12-30T23:00:00.000Z');
  const { token, refreshToken } = (await obtain(OBTAIN, { key })).data.obtainToken;
  expect(await use(token)).toBe(200);
  await service.database.pool.query('update api_key set expires_at = now() where id = $1', [id]);
  const deadline = Date.now() + 1_100;
  expect((await obtain(OBTAIN, { key })).errors[0].extensions.errorCode).toBe('KT-CT-1139');
  expect((await obtain(REFRESH, { token: refreshToken })).errors[0].extensions.errorCode).toBe('KT-CT-1135');
  let status = 200;
  while (status === 200 && Date.now() < deadline) status = await use(token);
  expect(status).toBe(401);
});

test('caches a token no longer than its key is valid', async () => {
  const { id, api_key: key } = await makeKey({});
  const { token } = (await obtain(OBTAIN, { key })).data.obtainToken;
  await service.database.pool.query(
    "update api_key set expires_at = now() + interval '300 milliseconds' where id = $1",
    [id],
  );
  expect(await use(token)).toBe(200);
  await until(async () => (await use(token)) === 401);
});

test('shows the last use of a key, also by its tokens, updated at most once a minute', async () => {
  const { id, api_key: key } = await makeKey({});
  expect((await viewOf(id)).last_used_at).toBeNull();
  const { token } = (await obtain(OBTAIN, { key })).data.obtainToken;
  const afterLogin = (await viewOf(id)).last_used_at;
  expect(Math.abs(Date.parse(afterLogin) - Date.now())).toBeLessThan(60_000);
  expect(await use(token)).toBe(200);
  expect((await viewOf(id)).last_used_at).toBe(afterLogin);
  await service.database.pool.query("update api_key set last_used_at = now() - interval '2 hours' where id = $1", [id]);
  await until(async () => {
    await use(token);
    return Date.parse((await viewOf(id)).last_used_at) > Date.now() - 60_000;
  });
  expect((await viewOf(id)).revoked_at).toBeNull();
});
