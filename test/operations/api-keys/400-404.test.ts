import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';

const service = await startService();
afterAll(() => service.stop());

const good = { organisation: 'Acme', name: 'importer', role: 'supplier', import_suppliers: ['SUPPLIER_FR'] };

test.each<[string, Record<string, unknown> | string, string, string]>([
  ['no role', { ...good, role: undefined }, 'role', 'required'],
  ['an unknown role', { ...good, role: 'admin' }, 'role', 'invalid_choice'],
  ['no name', { ...good, name: ' ' }, 'name', 'blank'],
  ['an unknown supplier', { ...good, import_suppliers: ['NOBODY'] }, 'import_suppliers.0', 'invalid_choice'],
  ['a supplier key without suppliers', { ...good, import_suppliers: undefined }, 'import_suppliers', 'empty'],
  ['a supplier key with an empty list', { ...good, import_suppliers: [] }, 'import_suppliers', 'empty'],
  ['suppliers that are not a list', { ...good, import_suppliers: 'ACME' }, 'import_suppliers', 'not_a_list'],
  ['an unknown scope', { ...good, role: 'operator', scope: 'some' }, 'scope', 'invalid_choice'],
  [
    'a scope that is a long number',
    JSON.stringify({ ...good, scope: 1 }).replace('"scope":1', '"scope":0.1234567890123456789'),
    'scope',
    'invalid',
  ],
  ['a restricted key for a supplier', { ...good, scope: 'read', import_suppliers: [] }, 'scope', 'invalid'],
  [
    'a restricted key with suppliers',
    { ...good, role: 'operator', scope: 'read', import_suppliers: ['SUPPLIER_FR'] },
    'import_suppliers',
    'invalid',
  ],
  ['an end in the past', { ...good, expires_at: '2020-01-01T00:00:00Z' }, 'expires_at', 'invalid'],
  ['an end that is not a timestamp', { ...good, expires_at: 'tomorrow' }, 'expires_at', 'invalid'],
  ['a misspelled field', { ...good, import_supplier: ['ACME'] }, 'import_supplier', 'invalid'],
])('rejects %s, and creates no key', async (_what, body, attr, code) => {
  const answer = await service.call('POST', '/v1/operations/api-keys/', { token: service.operatorToken, body });
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ code: 'validation_failed', errors: [{ attr, code }] });
  const { rows } = await service.database.pool.query(
    "select count(*)::int as count from organisation where name = 'Acme'",
  );
  expect(rows[0].count).toBe(0);
});

test.each(['0199a000-0000-7000-8000-000000000000', 'not-an-id'])('answers 404 when revoking the key %s', async (id) => {
  const answer = await service.call('DELETE', `/v1/operations/api-keys/${id}/`, { token: service.operatorToken });
  expect(answer.status).toBe(404);
  expect(answer.body).toMatchObject({ code: 'not_found', errors: [] });
});
