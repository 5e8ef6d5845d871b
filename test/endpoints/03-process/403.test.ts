import { afterAll, expect, test } from '@jest/globals';
import { errorBody } from '../../support/error-body.ts';
import { startService } from '../../support/harness.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const supplierToken = await service.supplierToken(['SUPPLIER_FR']);

test.each([
  ['GET', '/v1/operations/import-suppliers/'],
  ['PUT', '/v1/operations/import-suppliers/SUPPLIER_FR/'],
  ['PUT', '/v1/operations/operations-teams/Mine/'],
  ['GET', '/v1/operations/api-keys/'],
  ['POST', '/v1/operations/api-keys/'],
  ['GET', '/v1/operations/audit/'],
])("rejects a supplier's key in the operator API: %s %s", async (method, path) => {
  const answer = await service.call(method, path, { token: supplierToken, ...(method === 'GET' ? {} : { body: {} }) });
  expect(answer.status).toBe(403);
  expect(answer.body).toEqual(errorBody('permission_denied'));
});

test("stages and creates nothing for an operator's key, which has no import suppliers", async () => {
  const answer = await service.call('POST', '/v1/data-import/account-import-process/process/', {
    token: service.operatorToken,
    body: { external_account_number: 'X', import_supplier_code: 'SUPPLIER_FR', operations_team_name: 'Migration' },
  });
  expect(answer).toMatchObject({
    status: 400,
    body: { errors: [{ code: 'invalid_choice', attr: 'import_supplier_code' }] },
  });
});
