import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../../support/account-payload.ts';
import { businessRequest } from '../../support/business-payload.ts';
import { startService } from '../../support/harness.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);
await service.call('POST', '/v1/data-import/business/', { token, body: businessRequest({}, 1) });
const names = (label: string) => ({ business: { business_contract_identifier: label } });
await stage('GOOD', names('FRAME-1'));
await stage('PLAIN', {});
await stage('NO-LABEL', names(''));
await stage('MISSING-1', names('FRAME-9'));
await stage('MISSING-2', names('FRAME-9'), { skipped: true });
await stage('MISSING-3', names('FRAME-0'));
await stage('IMPORTED', names('FRAME-9'), { imported: true });
const faults = [
  { code: 'required', attr: 'customers.0.email' },
  { code: 'required', attr: 'customers.1.email' },
  { code: 'date_in_future', attr: 'statements.12.bill_period_to_date' },
];
await stage('REFUSED-1', {}, { refusal: { code: 'import_process_failed_validation', errors: faults } });
await stage('REFUSED-2', {}, { refusal: { code: 'import_process_failed_validation', errors: faults.slice(0, 1) } });
// Its contract was added meanwhile.
const missing = { code: 'business_contract_not_found', attr: 'business.business_contract_identifier' };
await stage('HEALED', names('FRAME-1'), { refusal: { code: 'import_process_failed_validation', errors: [missing] } });
await stage('POISON', {}, { refusal: { code: 'creation_failed', fault: {}, at: 'now' } });
await service.call('PUT', '/v1/operations/import-suppliers/OTHER/', {
  token: service.operatorToken,
  body: { name: 'Other' },
});
await stage('ELSEWHERE', names('FRAME-1'), { supplier: 'OTHER' });

/** A row as staging, creation and operators leave it. */
async function stage(
  external: string,
  more: object,
  state: { supplier?: string; skipped?: boolean; imported?: boolean; refusal?: object } = {},
): Promise<void> {
  const { supplier = 'SUPPLIER_FR', skipped = false, imported = false, refusal = null } = state;
  await service.database.pool.query(
    `insert into import_process (id, import_supplier, external_account_number, payload, phone_numbers, payload_hash, validated_with, refusal, skipped_at, imported_at)
      values (gen_random_uuid(), $1, $2, $3, '[]', sha256('x'), 'test', $4, case when $5 then now() end, case when $6 then now() end)`,
    [
      supplier,
      external,
      JSON.stringify({ ...domesticAccount({ import_supplier: supplier }, 1), ...more }),
      refusal && JSON.stringify(refusal),
      skipped,
      imported,
    ],
  );
}

const summarize = (body: {
  causes: { code: string; place: string; records: number; alone: number; example: object }[];
}) => body.causes.map(({ code, place, records, alone, example }) => ({ code, place, records, alone, ...example }));

test('counts all causes that block staged accounts, and those that block alone', async () => {
  const { body } = await service.call('GET', '/v1/data-import/causes/SUPPLIER_FR/', { token });
  const nowhere = { line: null, value: null };
  expect(summarize(body)).toEqual([
    {
      code: 'business_contract_not_found',
      place: 'business.business_contract_identifier',
      records: 3,
      alone: 2,
      ...nowhere,
      external_account_number: 'MISSING-1',
    },
    {
      code: 'required',
      place: 'customers.*.email',
      records: 2,
      alone: 1,
      ...nowhere,
      external_account_number: 'REFUSED-1',
    },
    {
      code: 'quarantined',
      place: 'non_field_errors',
      records: 1,
      alone: 1,
      ...nowhere,
      external_account_number: 'POISON',
    },
    {
      code: 'date_in_future',
      place: 'statements.*.bill_period_to_date',
      records: 1,
      alone: 0,
      ...nowhere,
      external_account_number: 'REFUSED-1',
    },
    {
      code: 'import_process_marked_to_skip',
      place: 'non_field_errors',
      records: 1,
      alone: 0,
      ...nowhere,
      external_account_number: 'MISSING-2',
    },
  ]);
  expect(body.causes[0]).toMatchObject({ is_warning: false, page: '/docs/codes/business_contract_not_found/' });
  expect(body.causes.every(({ detail, remedy }: Record<string, string>) => detail !== '' && remedy !== '')).toBe(true);
  const operators = await service.call('GET', '/v1/operations/causes/SUPPLIER_FR/', { token: service.operatorToken });
  expect(operators.body).toEqual(body);
});

test('treats a label of another supplier as missing', async () => {
  const { body } = await service.call('GET', '/v1/operations/causes/OTHER/', { token: service.operatorToken });
  expect(summarize(body)).toMatchObject([
    { code: 'business_contract_not_found', external_account_number: 'ELSEWHERE' },
  ]);
});

test('answers for a supplier that a key may not see as for an unknown one', async () => {
  for (const code of ['OTHER', 'NONE', '%00']) {
    expect(await service.call('GET', `/v1/data-import/causes/${code}/`, { token })).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
  }
  expect(await service.call('GET', '/v1/operations/causes/NONE/', { token: service.operatorToken })).toMatchObject({
    status: 404,
  });
});
