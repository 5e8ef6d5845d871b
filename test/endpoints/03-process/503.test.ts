import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../../support/account-payload.ts';
import { errorBody } from '../../support/error-body.ts';
import { startService } from '../../support/harness.ts';

const ours = { import_supplier: 'SUPPLIER_FR' };

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

const stage = (body: unknown) =>
  service.call('POST', '/v1/data-import/account-import-process/create-or-update/', { token, body });
const create = (number: string, more: object = {}) =>
  service.call('POST', '/v1/data-import/account-import-process/process/', {
    token,
    body: {
      external_account_number: number,
      import_supplier_code: 'SUPPLIER_FR',
      operations_team_name: 'Migration',
      ...more,
    },
  });

test('rejects a creation immediately while Temporal is down, with the time to wait, and starts nothing', async () => {
  await stage(domesticAccount(ours, 1));
  const begun = performance.now();
  const answer = await create('HOME-00000001');
  expect(performance.now() - begun).toBeLessThan(15_000);
  expect(answer.status).toBe(503);
  expect(answer.body).toEqual(
    errorBody('service_unavailable', undefined, { request_id: answer.headers['x-request-id'] }),
  );
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  expect((await service.database.pool.query('select from account')).rows).toHaveLength(0);
  expect((await create('HOME-00000001')).status).toBe(503);
});

test('serves validate, stage, dry run, status and lists while Temporal is down', async () => {
  const account = domesticAccount(ours, 2);
  expect((await service.call('POST', '/v1/data-import/validate-account/', { token, body: account })).status).toBe(200);
  expect((await stage(account)).status).toBe(201);
  expect((await stage(account)).status).toBe(200);
  expect((await create('HOME-00000002', { dry_run: true })).body.code).toBe('dry_run_succeeded');
  expect(
    (await service.call('GET', '/v1/data-import/account-transfer-status/SUPPLIER_FR/HOME-00000002/', { token })).body,
  ).toEqual({ status: 'UNKNOWN', service_account_number: '' });
  for (const list of ['all', 'pending', 'imported']) {
    expect(
      (await service.call('GET', `/v1/data-import/${list}-account-import-processes/SUPPLIER_FR/`, { token })).status,
    ).toBe(200);
  }
});

test('reports violations of the request although Temporal is down', async () => {
  expect((await create('', { operations_team_name: '' })).status).toBe(400);
});
