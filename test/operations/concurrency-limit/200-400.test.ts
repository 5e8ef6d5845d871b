import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';

const service = await startService();
afterAll(() => service.stop());

const SUBJECT = 'settings/create-account-concurrency-limit';

const call = (method: string, body?: unknown) =>
  service.call(method, `/v1/operations/${SUBJECT}/`, { token: service.operatorToken, body });

test('starts without a limit; sets it, keeps what a PUT omits, removes it, and audits each change with its reason', async () => {
  expect(await call('GET')).toMatchObject({
    status: 200,
    body: { limit: null, in_use: 0, reason: null, updated_at: null },
  });
  const set = await call('PUT', { limit: 3, reason: 'the support site is slow' });
  expect(set).toMatchObject({
    status: 200,
    body: { limit: 3, in_use: 0, reason: 'the support site is slow', updated_at: expect.any(String) },
  });
  expect((await call('GET')).body).toEqual(set.body);
  expect((await call('PUT', { reason: 'still slow' })).body).toMatchObject({ limit: 3, reason: 'still slow' });
  expect((await call('PUT', { limit: null, reason: '' })).body).toMatchObject({ limit: null, reason: null });
  await call('PUT', {});
  const { body } = await service.call(
    'GET',
    `/v1/operations/audit/?subject=${SUBJECT}&action=concurrency_limit.changed`,
    { token: service.operatorToken },
  );
  expect(body.map(({ before, after, reason }: any) => [before.limit, after.limit, reason])).toEqual([
    [3, null, null],
    [3, 3, 'still slow'],
    [null, 3, 'the support site is slow'],
  ]);
});

const put = (body: unknown) =>
  service.call('PUT', '/v1/operations/settings/create-account-concurrency-limit/', {
    token: service.operatorToken,
    body,
  });

test.each<[string, unknown, string, string]>([
  ['a missing limit', { limit: 0 }, 'limit', 'min_value'],
  ['a negative limit', { limit: -1 }, 'limit', 'min_value'],
  ['a fraction', { limit: 1.5 }, 'limit', 'invalid'],
  ['a text', { limit: '3' }, 'limit', 'invalid'],
  ['more than the database can count', { limit: 2_147_483_648 }, 'limit', 'max_value'],
  ['more digits than a number holds', '{"limit": 12345678901234567890}', 'limit', 'invalid'],
  ['an unknown field', { limits: 3 }, 'limits', 'invalid'],
  ['a reason that is not a string', { reason: 3 }, 'reason', 'invalid'],
])('rejects %s', async (_what, body, attr, code) => {
  const answer = await put(body);
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ code: 'validation_failed', errors: [{ attr, code }] });
});
