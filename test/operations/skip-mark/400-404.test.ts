import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../../support/account-payload.ts';
import { startService } from '../../support/harness.ts';

const service = await startService({ worker: true });
afterAll(() => service.stop());

const skip = (method: string, external: string, body?: unknown) =>
  service.call(method, `/v1/operations/account-import-processes/SUPPLIER_FR/${external}/skip/`, {
    token: service.operatorToken,
    body,
  });

test.each(['PUT', 'DELETE'])('%s: rejects an imported account, with both numbers', async (method) => {
  const token = await service.supplierToken(['SUPPLIER_FR']);
  const external = `DONE-${method}`;
  await service.call('POST', '/v1/data-import/account-import-process/create-or-update/', {
    token,
    body: domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: external }),
  });
  const created = await service.call('POST', '/v1/data-import/account-import-process/process/', {
    token,
    body: { external_account_number: external, import_supplier_code: 'SUPPLIER_FR', operations_team_name: 'Migration' },
  });
  expect(created.status).toBe(201);
  expect(await skip(method, external, {})).toMatchObject({
    status: 400,
    body: {
      code: 'account_import_process_already_imported',
      external_account_number: external,
      service_account_number: created.body.service_account_number,
    },
  });
});

test.each<[string, unknown, string, string]>([
  ['an unknown field', { why: 'x' }, 'why', 'invalid'],
  ['a long reason', { reason: 'x'.repeat(1_001) }, 'reason', 'max_length'],
])('rejects %s', async (_what, body, attr, code) => {
  for (const method of ['PUT', 'DELETE']) {
    expect(await skip(method, 'ANY', body)).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', errors: [{ attr, code }] },
    });
  }
});

test.each([
  ['SUPPLIER_FR', 'NOWHERE'],
  ['NOBODY', 'A-1'],
  ['SUPPLIER_FR', '%00'],
  ['SUPPLIER_FR', 'x'.repeat(129)],
])('%s has no import process %s', async (supplier, external) => {
  for (const [method, body] of [
    ['PUT', {}],
    ['DELETE', undefined],
  ] as const) {
    const answer = await service.call(method, `/v1/operations/account-import-processes/${supplier}/${external}/skip/`, {
      token: service.operatorToken,
      body,
    });
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ code: 'not_found', errors: [] });
  }
});
