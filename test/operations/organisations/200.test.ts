import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';

const service = await startService();
afterAll(() => service.stop());
for (const organisation of ['Zenith', 'Acme & Co']) {
  await service.call('POST', '/v1/operations/api-keys/', {
    token: service.operatorToken,
    body: { organisation, name: 'first', role: 'supplier', import_suppliers: ['SUPPLIER_FR'] },
  });
}

const call = (method: string, path: string, body?: unknown) =>
  service.call(method, `/v1/operations/organisations/${path}`, { token: service.operatorToken, body });
const ACME = `${encodeURIComponent('Acme & Co')}/`;

test('creates an organisation with its first key, without any authorisation', async () => {
  expect(await call('GET', ACME)).toMatchObject({
    status: 200,
    body: { name: 'Acme & Co', customer_authorisation: false, created_at: expect.stringMatching(/Z$/) },
  });
  const names = (await call('GET', '')).body.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(['Acme & Co', 'Zenith']));
});

test('audits a change with its reason, and nothing without a change', async () => {
  const change = { customer_authorisation: true, reason: 'mandates checked' };
  expect((await call('PUT', ACME, change)).body).toMatchObject({ customer_authorisation: true });
  expect((await call('PUT', ACME, change)).body).toMatchObject({ customer_authorisation: true });
  expect((await call('PUT', ACME, { reason: 'nothing' })).body).toMatchObject({ customer_authorisation: true });
  const { body } = await service.call('GET', '/v1/operations/audit/?action=organisation.changed', {
    token: service.operatorToken,
  });
  expect(body).toMatchObject([
    {
      subject: 'organisations/Acme & Co',
      reason: 'mandates checked',
      before: { customer_authorisation: false },
      after: { customer_authorisation: true },
    },
  ]);
});
