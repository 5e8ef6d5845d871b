import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';

const service = await startService();
afterAll(() => service.stop());

const OBTAIN = 'mutation ($input: ObtainJSONWebTokenInput!) { obtainToken(input: $input) { token refreshToken } }';
const obtain = async (input: object) =>
  (await service.call('POST', '/graphql/', { body: { query: OBTAIN, variables: { input } } })).body;

test("ends a revoked key's tokens within a second and its refresh tokens immediately, and answers a repetition alike", async () => {
  const made = await service.call('POST', '/v1/operations/api-keys/', {
    token: service.operatorToken,
    body: { organisation: 'Ops', name: 'console', role: 'operator' },
  });
  const { id, api_key: secret } = made.body;
  const { token, refreshToken } = (await obtain({ APIKey: secret })).data.obtainToken;
  const use = () => service.call('GET', '/v1/operations/import-suppliers/', { token });
  expect((await use()).status).toBe(200);

  const revoked = await service.call('DELETE', `/v1/operations/api-keys/${id}/`, { token: service.operatorToken });
  const deadline = Date.now() + 1_100;
  expect(revoked.status).toBe(200);
  expect(revoked.body).toMatchObject({ id, revoked_at: expect.any(String) });
  expect((await obtain({ refreshToken })).errors[0].extensions.errorCode).toBe('KT-CT-1135');
  expect((await obtain({ APIKey: secret })).errors[0].extensions.errorCode).toBe('KT-CT-1139');
  let status = 200;
  while (status === 200 && Date.now() < deadline) status = (await use()).status;
  expect(status).toBe(401);

  const again = await service.call('DELETE', `/v1/operations/api-keys/${id}/`, { token: service.operatorToken });
  expect(again.status).toBe(200);
  expect(again.body).toEqual(revoked.body);
  const audit = await service.call('GET', `/v1/operations/audit/?subject=api-keys/${id}&action=api_key.revoked`, {
    token: service.operatorToken,
  });
  expect(audit.body).toMatchObject([{ before: { revoked_at: null }, after: { revoked_at: revoked.body.revoked_at } }]);
});
