import { hash } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const { id: keyId, api_key: key } = (
  await service.call('POST', '/v1/operations/api-keys/', {
    token: service.operatorToken,
    body: { organisation: 'Acme', name: 'importer', role: 'operator' },
  })
).body;

const send = async (query: string, variables: object) =>
  (await service.call('POST', '/graphql/', { body: { query, variables } })).body;
const obtain = async (input: object) =>
  send(
    'mutation ($input: ObtainJSONWebTokenInput!) { obtainToken(input: $input) { token refreshToken refreshExpiresIn payload } }',
    { input },
  );
const revoke = async (input: object) =>
  send('mutation ($input: RevokeTokenInput!) { revokeToken(input: $input) { revoked } }', { input });
const codeOf = (body: { errors?: { extensions: { errorCode: string } }[] }) => body.errors?.[0]?.extensions.errorCode;
const login = async () => (await obtain({ APIKey: key })).data.obtainToken;
const use = async (token: string) => (await service.call('GET', '/v1/operations/import-suppliers/', { token })).status;
const sha256 = (secret: string) => hash('sha256', secret, 'buffer');

async function endsWithinASecond(token: string): Promise<void> {
  const deadline = Date.now() + 1_100;
  let status = 200;
  while (status === 200 && Date.now() < deadline) status = await use(token);
  expect(status).toBe(401);
}

test('ends every token of a session, and no other, when its refresh token is used a second time', async () => {
  const [stolen, other] = [await login(), await login()];
  const second = (await obtain({ refreshToken: stolen.refreshToken })).data.obtainToken;
  const third = (await obtain({ refreshToken: second.refreshToken })).data.obtainToken;
  expect([await use(stolen.token), await use(second.token), await use(third.token)]).toEqual([200, 200, 200]);

  expect(codeOf(await obtain({ refreshToken: stolen.refreshToken }))).toBe('KT-CT-1135');
  for (const { token } of [stolen, second, third]) await endsWithinASecond(token);
  expect(codeOf(await obtain({ refreshToken: third.refreshToken }))).toBe('KT-CT-1135');
  expect(await use(other.token)).toBe(200);
  const audit = await service.call('GET', `/v1/operations/audit/?subject=api-keys/${keyId}&action=session.ended`, {
    token: service.operatorToken,
  });
  expect(audit.body).toMatchObject([
    { actor: { key_id: keyId, name: 'Acme / importer' }, reason: 'A refresh token was used a second time.' },
  ]);
});

test('ends a session twelve hours after the key was used, however often it was refreshed', async () => {
  const first = await login();
  await service.database.pool.query(
    `update access_token set session_started_at = now() - interval '11 hours 30 minutes'
    where session_id = (select session_id from access_token where sha256 = $1)`,
    [sha256(first.token)],
  );
  const second = (await obtain({ refreshToken: first.refreshToken })).data.obtainToken;
  const left = 1_800;
  expect(Math.abs(second.payload.exp - second.payload.iat - left)).toBeLessThanOrEqual(10);
  expect(Math.abs(second.refreshExpiresIn - second.payload.iat - left)).toBeLessThanOrEqual(10);
  await service.database.pool.query(
    "update access_token set expires_at = expires_at - interval '31 minutes' where sha256 in ($1, $2)",
    [sha256(second.token), sha256(second.refreshToken)],
  );
  expect(await use(second.token)).toBe(401);
  expect(codeOf(await obtain({ refreshToken: second.refreshToken }))).toBe('KT-CT-1134');
});

test('ends one token for any holder of it, and keeps the others of the session', async () => {
  const { token, refreshToken } = await login();
  expect(await use(token)).toBe(200);
  expect((await revoke({ token })).data.revokeToken).toEqual({ revoked: true });
  await endsWithinASecond(token);
  expect((await revoke({ token })).data.revokeToken).toEqual({ revoked: true });
  expect((await obtain({ refreshToken })).data.obtainToken.token).toMatch(/^gwa_/);
  const audit = await service.call('GET', `/v1/operations/audit/?subject=api-keys/${keyId}&action=token.ended`, {
    token: service.operatorToken,
  });
  expect(audit.body).toHaveLength(1);
});

test('ends a session by its refresh token', async () => {
  const { token, refreshToken } = await login();
  expect((await revoke({ refreshToken })).data.revokeToken).toEqual({ revoked: true });
  await endsWithinASecond(token);
  expect(codeOf(await obtain({ refreshToken }))).toBe('KT-CT-1135');
});

test.each<[string, object, string]>([
  ['nothing', {}, 'GW-0005'],
  ['two tokens', { token: 'a', refreshToken: 'b' }, 'GW-0005'],
  ['a malformed token', { token: 'a' }, 'GW-0006'],
  ['a token that was never issued', { token: `gwa_${'A'.repeat(43)}` }, 'GW-0006'],
  ['a refresh token under the wrong name', { token: `gwr_${'A'.repeat(43)}` }, 'GW-0006'],
])('answers with an error to end %s', async (_what, input, code) => {
  const body = await revoke(input);
  expect(body.data).toEqual({ revokeToken: null });
  expect(codeOf(body)).toBe(code);
});
