import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../../support/account-payload.ts';
import { startService } from '../../support/harness.ts';
import { until } from '../../support/until.ts';

const ours = { import_supplier: 'SUPPLIER_FR' };

const service = await startService({ worker: true });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

const stage = (body: unknown) =>
  service.call('POST', '/v1/data-import/account-import-process/create-or-update/', { token, body });
const create = (number: string) =>
  service.call('POST', '/v1/data-import/account-import-process/process/', {
    token,
    body: { external_account_number: number, import_supplier_code: 'SUPPLIER_FR', operations_team_name: 'Migration' },
  });
const status = (number: string) =>
  service.call('GET', `/v1/data-import/account-transfer-status/SUPPLIER_FR/${encodeURIComponent(number)}/`, { token });

test('shows UNKNOWN with an empty number while staged, and PENDING with the number once created', async () => {
  await stage(domesticAccount(ours, 1));
  expect(await status('HOME-00000001')).toMatchObject({
    status: 200,
    body: { status: 'UNKNOWN', service_account_number: '' },
  });
  const created = await create('HOME-00000001');
  const answer = await status('HOME-00000001');
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({ status: 'PENDING', service_account_number: created.body.service_account_number });
});

test('shows a process of an account that is marked to skip', async () => {
  await stage(domesticAccount(ours, 2));
  await service.database.pool.query(
    `update import_process set skipped_at = now() where external_account_number = 'HOME-00000002'`,
  );
  expect((await status('HOME-00000002')).body).toEqual({ status: 'UNKNOWN', service_account_number: '' });
});

test.each([
  'a/b',
  'a b',
  '100%',
  '%2F',
  'a?b=c#d',
  'é\u0301',
  '😀',
  '口座-7',
  '"\\\'',
  '+1',
  'a;b,c&d',
  '...',
  'constructor',
  '__proto__',
  '\ufffd',
])('finds the number %p by its percent-encoded form', async (number) => {
  expect((await stage(domesticAccount({ ...ours, external_account_number: number }, 3))).status).toBe(201);
  expect((await status(number)).body).toEqual({ status: 'UNKNOWN', service_account_number: '' });
});

test('accepts the path without its trailing slash', async () => {
  await stage(domesticAccount(ours, 4));
  const answer = await service.call('GET', '/v1/data-import/account-transfer-status/SUPPLIER_FR/HOME-00000004', {
    token,
  });
  expect(answer).toMatchObject({ status: 200, body: { status: 'UNKNOWN' } });
});

test('follows the network operator through IN_PROGRESS, REJECTED, IN_PROGRESS again and COMPLETED', async () => {
  await stage(domesticAccount(ours, 5));
  const { service_account_number: number } = (await create('HOME-00000005')).body;
  const messages: [outcome: string, becomes: string][] = [
    ['ACCEPTED', 'IN_PROGRESS'],
    ['REJECTED', 'REJECTED'],
    ['ACCEPTED', 'IN_PROGRESS'],
    ['COMPLETED', 'COMPLETED'],
  ];
  for (const [index, [outcome, becomes]] of messages.entries()) {
    const message = {
      message_id: `HOME-5-${index}`,
      ...ours,
      external_account_number: 'HOME-00000005',
      outcome,
      occurred_at: `2026-11-20T08:0${index}:00Z`,
    };
    const body = [message];
    expect(
      (await service.call('POST', '/v1/operations/market-messages/', { token: service.operatorToken, body })).status,
    ).toBe(200);
    await until(async () => (await status('HOME-00000005')).body.status === becomes);
    expect((await status('HOME-00000005')).body).toEqual({ status: becomes, service_account_number: number });
  }
});
