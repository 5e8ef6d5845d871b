import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../../support/account-payload.ts';
import { createAccounts } from '../../support/created-accounts.ts';
import { startService } from '../../support/harness.ts';

const SUPPLIER = 'SUPPLIER_FR';
const service = await startService();
afterAll(() => service.stop());
const [external] = (await createAccounts(service.database, SUPPLIER, [
  domesticAccount({ import_supplier: SUPPLIER }, 1),
])) as [string];

const operator = (method: string, path: string, body?: unknown) =>
  service.call(method, `/v1/operations/${path}`, { token: service.operatorToken, body });
const erase = (more: object) =>
  operator('POST', 'erasures/', {
    import_supplier: SUPPLIER,
    external_account_number: external,
    reason: 'asked for',
    ...more,
  });

test('requires the person to erase, and a reason', async () => {
  const answer = await operator('POST', 'erasures/', { customer: -1 });
  expect(answer.body).toMatchObject({ code: 'validation_failed' });
  expect(answer.body.errors.map(({ attr }: { attr: string }) => attr).sort()).toEqual([
    'customer',
    'external_account_number',
    'import_supplier',
    'reason',
  ]);
  expect((await erase({ customer: 99 })).body.errors).toMatchObject([{ attr: 'customer', code: 'invalid' }]);
  expect((await operator('GET', `exports/${SUPPLIER}/${external}/?customer=first`)).body.errors).toMatchObject([
    { attr: 'customer', code: 'invalid' },
  ]);
});

test('rejects an unknown account', async () => {
  expect((await erase({ external_account_number: 'NOBODY' })).status).toBe(404);
  expect((await operator('GET', `exports/${SUPPLIER}/NOBODY/`)).status).toBe(404);
});

test('rejects an erasure while work on the account is in progress', async () => {
  const { pool } = service.database;
  await pool.query(
    `insert into import_process (id, import_supplier, external_account_number, payload, phone_numbers, payload_hash, validated_with, workflow_id)
    values (gen_random_uuid(), $1, 'QUARANTINED', '{}', '[]', '\\x00', 'x', 'create-account/x')`,
    [SUPPLIER],
  );
  expect((await erase({ external_account_number: 'QUARANTINED' })).body.code).toBe('erasure_must_wait');
  const token = await service.supplierToken([SUPPLIER]);
  const job = await service.call('POST', '/v1/data-import/import-jobs/', {
    token,
    body: { import_supplier: SUPPLIER, kind: 'accounts', goal: 'VALIDATE' },
  });
  await service.database.pool.query(`update import_job set status = 'VALIDATING' where id = $1`, [job.body.job_id]);
  expect((await erase({})).body).toMatchObject({
    code: 'erasure_must_wait',
    detail: expect.stringContaining(job.body.job_id),
  });
});
