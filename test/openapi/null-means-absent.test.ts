import { afterAll, expect, test } from '@jest/globals';
import type { OpenApiDocument } from '../../src/openapi/openapi-document.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { documentedFields } from '../support/every-field.ts';
import { startService } from '../support/harness.ts';

const VALIDATE = '/v1/data-import/validate-account/';
const STAGE = '/v1/data-import/account-import-process/create-or-update/';

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const document = (await service.call('GET', '/openapi.json')).body as OpenApiDocument;
for (const [code, options] of [
  ['SUPPLIER_FR', { null_means_absent: true }],
  ['STRICT', {}],
] as const) {
  await service.call('PUT', `/v1/operations/import-suppliers/${code}/`, {
    token: service.operatorToken,
    body: { options },
  });
}
const token = await service.supplierToken(['SUPPLIER_FR', 'STRICT']);

test('treats null as absent in every request of the supplier only', async () => {
  const names = ['import_supplier', 'import_supplier_code'];
  const isMember = (attr: string) => attr !== '' && !/(?:^|\.)\d+$/.test(attr) && !names.includes(attr);
  const fields = documentedFields(document, () => true).filter(
    ({ role, path, attr }) =>
      role === 'supplier' && path.startsWith('/v1/data-import/') && isMember(attr) && !path.includes('supply-point'),
  );
  expect([...new Set(fields.map(({ path }) => path.split('/')[3]))].toSorted()).toEqual([
    'account-import-process',
    'business',
    'business-contracts',
    'historical-statements',
    'import-jobs',
    'notes',
    'payment-instruction',
    'reconciliations',
    'transactions',
    'validate-account',
    'waves',
  ]);
  const wrong: string[] = [];
  let refusedOtherwise = 0;
  for (const field of fields) {
    const [lenient, strict] = ['SUPPLIER_FR', 'STRICT'].map((code) =>
      JSON.stringify(field.bodyWith(null)).replaceAll('"SUPPLIER_FR"', `"${code}"`),
    );
    const codesAt = async (body: string) =>
      ((await service.call(field.method, field.path, { token, body })).body?.errors ?? []).filter(
        ({ attr, code }: { attr: string; code: string }) =>
          attr.startsWith(field.attr) &&
          (code === 'null' || code === 'not_a_dict' || attr.endsWith('non_field_errors')),
      );
    if ((await codesAt(lenient!)).some(({ code }: { code: string }) => code === 'null')) {
      wrong.push(`${field.path} ${field.attr}`);
    }
    if ((await codesAt(strict!)).length > 0) refusedOtherwise += 1;
  }
  expect(wrong).toEqual([]);
  // All except those that accept a null, or are not checked in a body with other violations.
  expect(refusedOtherwise).toBeGreaterThan(0.8 * fields.length);
});

test('stores an account without its nulls, except inside opaque values', async () => {
  const account = domesticAccount({ import_supplier: 'SUPPLIER_FR', metadata: [{ key: 'k', value: { kept: null } }] });
  const point = account.supply_addresses![0]!.supply_points[0]! as unknown as Record<string, unknown>;
  const withNulls = structuredClone(account) as unknown as Record<string, any>;
  Object.assign(withNulls, { account_type: null, business: null, account_contracts: null, unknown_occupier: null });
  Object.assign(withNulls['supply_addresses'][0].supply_points[0], { billing_frequency: null, agreements: null });
  const [{ unknown_occupier: _one, account_type: _two, ...rest }] = [account as unknown as Record<string, unknown>];
  delete point['billing_frequency'];
  delete point['agreements'];
  const answer = await service.call('POST', VALIDATE, { token, body: withNulls });
  expect(answer).toMatchObject({ status: 200 });
  expect(answer.body).toEqual(rest);
  expect((await service.call('POST', STAGE, { token, body: withNulls })).status).toBe(201);
  expect((await service.call('POST', STAGE, { token, body: rest })).status).toBe(200);
  const { rows } = await service.database.pool.query(
    'select payload from import_process where external_account_number = $1',
    [account.external_account_number],
  );
  // Stored payloads never contain null, with or without the option.
  expect(rows).toEqual([
    {
      payload: JSON.parse(
        JSON.stringify(rest, (name, value: unknown) => (value === null && name !== 'kept' ? undefined : value)),
      ),
    },
  ]);
});

test('reports a null of a required field as missing, and rejects null items', async () => {
  const { body } = await service.call('POST', VALIDATE, {
    token,
    body: { import_supplier: 'SUPPLIER_FR', external_account_number: null, customers: [null] },
  });
  expect(body.errors.map(({ code, attr }: { code: string; attr: string }) => `${attr} ${code}`)).toEqual(
    expect.arrayContaining(['external_account_number required', 'customers.0 null']),
  );
});
