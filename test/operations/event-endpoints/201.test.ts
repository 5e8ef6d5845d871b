import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';

const ENDPOINTS = '/v1/operations/event-endpoints/';
const URL = 'https://hooks.example.com/gangway?key=canary';

const service = await startService({ temporal: false });
afterAll(() => service.stop());

const call = (method: string, path: string, body?: object) =>
  service.call(method, `${ENDPOINTS}${path}`, {
    token: service.operatorToken,
    ...(body === undefined ? {} : { body }),
  });

test('shows each secret of an endpoint once, and audits its creation, change and end', async () => {
  await service.supplierToken([]);
  const organisation = (await service.database.pool.query('select name from organisation limit 1')).rows[0].name;
  const created = await call('POST', '', { import_supplier: 'SUPPLIER_FR', url: URL, organisation, reason: 'asked' });
  expect(created).toMatchObject({
    status: 201,
    body: { import_supplier: 'SUPPLIER_FR', url: URL, organisation, failing_since: null, ended_at: null },
  });
  const { secret, ...shown } = created.body;
  const view = { ...shown, url: 'https://hooks.example.com/gangway?***' };
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const id = view.endpoint_id;
  expect(await call('GET', '')).toMatchObject({ status: 200, body: [view] });

  const changed = await call('POST', `${id}/secret/`, { reason: 'lost' });
  expect(changed).toMatchObject({ status: 201, body: { endpoint_id: id, old_secret_until: expect.any(String) } });
  expect(changed.body.secret).not.toBe(secret);
  const ended = await call('DELETE', `${id}/`);
  expect(ended).toMatchObject({ status: 200, body: { ended_because: 'removed', old_secret_until: null } });
  expect(await call('GET', '')).toMatchObject({ body: [ended.body] });
  for (const answer of [await call('DELETE', `${id}/`), await call('POST', `${id}/secret/`)]) {
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
  }

  const audit = await service.call('GET', '/v1/operations/audit/', { token: service.operatorToken });
  const entries = audit.body.filter(({ subject }: any) => subject === `event-endpoints/${id}`);
  expect(entries.map(({ action, reason }: any) => [action, reason])).toEqual([
    ['event_endpoint.removed', null],
    ['event_endpoint.secret_changed', 'lost'],
    ['event_endpoint.created', 'asked'],
  ]);
  expect(JSON.stringify(audit.body)).not.toMatch(/whsec_|canary/);
});

test.each([
  [{ url: URL }, 'import_supplier', 'required'],
  [{ import_supplier: 'NOBODY', url: URL }, 'import_supplier', 'invalid_choice'],
  [{ import_supplier: 'SUPPLIER_FR', url: 'http://hooks.example.com/' }, 'url', 'invalid'],
  [{ import_supplier: 'SUPPLIER_FR', url: 'https://2130706433/' }, 'url', 'invalid'],
  [{ import_supplier: 'SUPPLIER_FR', url: 'https://[::ffff:169.254.169.254]/' }, 'url', 'invalid'],
  [{ import_supplier: 'SUPPLIER_FR', url: URL, organisation: 'Nobody' }, 'organisation', 'invalid_choice'],
  [{ import_supplier: 'SUPPLIER_FR', url: URL, secret: 'mine' }, 'secret', 'invalid'],
])('rejects %j', async (body, attr, code) => {
  expect(await call('POST', '', body)).toMatchObject({
    status: 400,
    body: { code: 'validation_failed', errors: [{ attr, code }] },
  });
});

test('rejects an invalid reason and an invalid id', async () => {
  for (const [method, path] of [
    ['POST', `${crypto.randomUUID()}/secret/`],
    ['DELETE', `${crypto.randomUUID()}/`],
  ] as const) {
    expect(await call(method, path, { reason: 7 })).toMatchObject({ status: 400 });
    expect(await call(method, path.replace(/^[^/]+/, 'none'))).toMatchObject({ status: 404 });
  }
});
