import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../../support/account-payload.ts';
import { errorBody } from '../../support/error-body.ts';
import { startService } from '../../support/harness.ts';
import { countAllRows } from '../../support/table-counts.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());

test.each([
  ['no token', undefined, 'not_authenticated'],
  ['an unknown token', `Token gwa_${'x'.repeat(43)}`, 'authentication_failed'],
])('creates nothing with %s', async (_name, authorization, code) => {
  const token = await service.supplierToken(['SUPPLIER_FR']);
  await service.call('POST', '/v1/data-import/account-import-process/create-or-update/', {
    token,
    body: domesticAccount({ import_supplier: 'SUPPLIER_FR' }),
  });
  const before = await countAllRows(service.database);
  const answer = await service.call('POST', '/v1/data-import/account-import-process/process/', {
    body: {
      external_account_number: 'HOME-00000001',
      import_supplier_code: 'SUPPLIER_FR',
      operations_team_name: 'Migration',
    },
    ...(authorization ? { headers: { authorization } } : {}),
  });
  expect(answer).toMatchObject({ status: 401, body: errorBody(code) });
  expect(await countAllRows(service.database)).toEqual(before);
});

test('accepts a key without import suppliers, which sees none', async () => {
  const token = await service.supplierToken([]);
  const answer = await service.call('POST', '/v1/data-import/account-import-process/process/', {
    token,
    body: {
      external_account_number: 'HOME-00000001',
      import_supplier_code: 'SUPPLIER_FR',
      operations_team_name: 'Migration',
    },
  });
  expect(answer.body.errors).toMatchObject([{ code: 'invalid_choice', attr: 'import_supplier_code' }]);
});
