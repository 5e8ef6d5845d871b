import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
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
