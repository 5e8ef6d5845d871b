import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';

const service = await startService();
afterAll(() => service.stop());

test('returns an existing team', async () => {
  const call = (method: string, body?: unknown) =>
    service.call(method, '/v1/operations/operations-teams/South/', { token: service.operatorToken, body });
  const first = await call('PUT', {});
  const again = await call('PUT', {});
  expect(again.status).toBe(200);
  expect(again.body).toEqual(first.body);
  const read = await call('GET');
  expect(read.status).toBe(200);
  expect(read.body).toEqual(first.body);
});

test('orders the list by name', async () => {
  const call = (method: string, path: string, body?: unknown) =>
    service.call(method, `/v1/operations/operations-teams/${path}`, { token: service.operatorToken, body });
  await call('PUT', 'Zulu/', {});
  await call('PUT', 'Alpha/', {});
  const { status, body } = await call('GET', '');
  expect(status).toBe(200);
  const names = body.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(['Alpha', 'Migration', 'Zulu']));
  expect(names).toEqual([...names].sort());
});

test('creates and audits a new team once', async () => {
  const path = `/v1/operations/operations-teams/${encodeURIComponent('Équipe Nord 1')}/`;
  const status = async () => (await service.call('GET', path, { token: service.operatorToken })).status;
  expect(await status()).toBe(404);
  const put = () => service.call('PUT', path, { token: service.operatorToken, body: { reason: 'new campaign' } });
  const answers = await Promise.all([put(), put(), put()]);
  expect(answers.map(({ status }: { status: number }) => status).sort()).toEqual([200, 200, 201]);
  expect(answers[0].body).toEqual({ name: 'Équipe Nord 1', created_at: expect.any(String) });
  expect(await status()).toBe(200);
  const { body } = await service.call('GET', '/v1/operations/audit/?action=operations_team.created', {
    token: service.operatorToken,
  });
  expect(body.filter(({ subject }: { subject: string }) => subject === 'operations-teams/Équipe Nord 1')).toMatchObject(
    [{ reason: 'new campaign', before: null }],
  );
});

test.each<[string, string, unknown, string, string]>([
  ['an unknown field', 'North', { members: [] }, 'members', 'invalid'],
  ['a long name', 'x'.repeat(256), {}, 'name', 'max_length'],
  ['a blank name', '%20', {}, 'name', 'blank'],
])('rejects %s', async (_what, name, body, attr, code) => {
  const answer = await service.call('PUT', `/v1/operations/operations-teams/${name}/`, {
    token: service.operatorToken,
    body,
  });
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ code: 'validation_failed', errors: [{ attr, code }] });
});

test('answers 404 for an unknown name', async () => {
  const answer = await service.call('GET', '/v1/operations/operations-teams/Nowhere/', {
    token: service.operatorToken,
  });
  expect(answer.status).toBe(404);
  expect(answer.body).toMatchObject({ code: 'not_found', errors: [] });
});
