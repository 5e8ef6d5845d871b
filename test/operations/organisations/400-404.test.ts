import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';

const service = await startService();
afterAll(() => service.stop());
await service.call('POST', '/v1/operations/api-keys/', {
  token: service.operatorToken,
  body: { organisation: 'Acme', name: 'first', role: 'supplier', import_suppliers: ['SUPPLIER_FR'] },
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

test('answers 404 for an organisation without a key, and for an unknown supply point', async () => {
  const call = (method: string, path: string, body?: object) =>
    service.call(method, `/v1/operations/${path}/`, { token: service.operatorToken, body });
  for (const answer of [
    await call('GET', 'organisations/Nobody'),
    await call('PUT', 'organisations/Nobody', { customer_authorisation: true, reason: 'x' }),
  ]) {
    expect(answer).toMatchObject({
      status: 404,
      body: { code: 'not_found', detail: expect.stringContaining('first API key') },
    });
  }
  expect(await call('GET', 'supply-points/enedis/25014987360042')).toMatchObject({
    status: 404,
    body: { code: 'not_found' },
  });
  expect(await call('GET', 'supply-points/nobody/25014987360042')).toMatchObject({
    status: 404,
    body: { code: 'not_found' },
  });
});
