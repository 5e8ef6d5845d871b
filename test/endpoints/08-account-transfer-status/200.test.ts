import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../../support/account-payload.ts';
import { startService, type Service } from '../../support/harness.ts';

const ours = { import_supplier: 'SUPPLIER_FR' };

let service: Service;
let token: string;
beforeAll(async () => {
  service = await startService({ worker: true });
  token = await service.supplierToken(['SUPPLIER_FR']);
});
afterAll(async () => { await service.stop(); });

const stage = (body: unknown) => service.call('POST', '/v1/data-import/account-import-process/create-or-update/', { token, body });
const create = (number: string) => service.call('POST', '/v1/data-import/account-import-process/process/', {
  token, body: { external_account_number: number, import_supplier_code: 'SUPPLIER_FR', operations_team_name: 'Migration' },
});
const status = (number: string) => service.call('GET', `/v1/data-import/account-transfer-status/SUPPLIER_FR/${encodeURIComponent(number)}/`, { token });

test('UNKNOWN with an empty number while staged, PENDING with the number once created', async () => {
  await stage(domesticAccount(ours, 1));
  expect(await status('HOME-00000001')).toMatchObject({ status: 200, body: { status: 'UNKNOWN', service_account_number: '' } });
  const created = await create('HOME-00000001');
  const answer = await status('HOME-00000001');
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({ status: 'PENDING', service_account_number: created.body.service_account_number });
});

test('an account that is marked to skip has a process all the same', async () => {
  await stage(domesticAccount(ours, 2));
  await service.database.pool.query(`update import_process set skipped_at = now() where external_account_number = 'HOME-00000002'`);
  expect((await status('HOME-00000002')).body).toEqual({ status: 'UNKNOWN', service_account_number: '' });
});

test.each(['a/b', 'a b', '100%', '%2F', 'a?b=c#d', 'é\u0301', '😀', '口座-7', '"\\\'', '+1', 'a;b,c&d', '...', 'constructor', '__proto__', '\ufffd'])('the number %p is found by its percent-encoded form', async (number) => {
  expect((await stage(domesticAccount({ ...ours, external_account_number: number }, 3))).status).toBe(201);
  expect((await status(number)).body).toEqual({ status: 'UNKNOWN', service_account_number: '' });
});

test('the path without its trailing slash is the same operation', async () => {
  await stage(domesticAccount(ours, 4));
  const answer = await service.call('GET', '/v1/data-import/account-transfer-status/SUPPLIER_FR/HOME-00000004', { token });
  expect(answer).toMatchObject({ status: 200, body: { status: 'UNKNOWN' } });
});
