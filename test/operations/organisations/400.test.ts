import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
  await service.call('POST', '/v1/operations/api-keys/', {
    token: service.operatorToken,
    body: { organisation: 'Acme', name: 'first', role: 'supplier' },
  });
});
afterAll(async () => {
  await service.stop();
});

test.each<[string, object, string, string]>([
  ['no reason', { customer_authorisation: true }, 'reason', 'required'],
  ['a blank reason', { customer_authorisation: true, reason: ' ' }, 'reason', 'blank'],
  ['no boolean', { customer_authorisation: 'on', reason: 'x' }, 'customer_authorisation', 'invalid'],
])('%s', async (_what, body, attr, code) => {
  const answer = await service.call('PUT', '/v1/operations/organisations/Acme/', {
    token: service.operatorToken,
    body,
  });
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ attr, code }] } });
});
