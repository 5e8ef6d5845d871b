import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
});

const PATH = '/v1/data-import/pending-account-import-processes/SUPPLIER_FR/';

test('without a token nothing is told, and the answer says which header is missing', async () => {
  const answer = await service.call('GET', PATH);
  expect(answer.status).toBe(401);
  expect(answer.headers['www-authenticate']).toBe('Token');
  expect(answer.body).toMatchObject({ code: 'not_authenticated', errors: [] });
});

test('a token that nobody was given is refused', async () => {
  const answer = await service.call('GET', PATH, { token: `gwa_${'x'.repeat(43)}` });
  expect(answer.status).toBe(401);
  expect(answer.body).toMatchObject({ code: 'authentication_failed', errors: [] });
});
