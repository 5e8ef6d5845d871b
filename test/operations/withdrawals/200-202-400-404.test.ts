import { afterAll, expect, test } from '@jest/globals';
import { IMPORT_JOBS, OPERATORS_IMPORT_JOBS, UNKNOWN_JOB, jobClient } from '../../support/import-jobs.ts';
import { startService } from '../../support/harness.ts';
import { createAccounts } from '../../support/created-accounts.ts';
import { domesticAccount } from '../../support/account-payload.ts';
import { WITHDRAWALS, withdrawalsOf } from '../../support/withdrawals.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const withdrawals = withdrawalsOf(service);
const client = await jobClient(service);

const [external] = (await createAccounts(service.database, 'SUPPLIER_FR', [
  domesticAccount({ import_supplier: 'SUPPLIER_FR' }),
])) as [string];

test('starts without Temporal, returns the running one when repeated, and records the reason', async () => {
  const [one, other] = await Promise.all([withdrawals.account(external), withdrawals.account(external)]);
  expect(one).toMatchObject({ status: 202, body: { status: 'RUNNING' } });
  expect(other.body).toEqual(one.body);
  const id = one.body.withdrawal_id;
  const { rows } = await service.database.pool.query(
    `select workflow_id, input from work_item where kind = 'withdraw'`,
  );
  expect(rows).toEqual([{ workflow_id: `withdraw/${id}`, input: { withdrawalId: id, importSupplier: 'SUPPLIER_FR' } }]);
  const audited = await service.database.pool.query(
    `select subject, reason from audit_entry where action = 'withdrawal.started'`,
  );
  expect(audited.rows).toEqual([
    { subject: `accounts/SUPPLIER_FR/${external}`, reason: 'The file was of the wrong month.' },
  ]);
  const found = await service.call('GET', `/v1/data-import/withdrawals/${id}/`, { token: client.token });
  expect(found).toMatchObject({ status: 200, body: { withdrawal_id: id, status: 'RUNNING', withdrawn: 0 } });
});

test('requires a reason, and rejects unknown accounts, jobs and withdrawals', async () => {
  expect(await withdrawals.account(external, { reason: ' ' })).toMatchObject({
    status: 400,
    body: { code: 'validation_failed', errors: [{ attr: 'reason' }] },
  });
  expect(await withdrawals.account('UNKNOWN-1')).toMatchObject({ status: 404, body: { code: 'account_not_found' } });
  expect(await withdrawals.job(UNKNOWN_JOB)).toMatchObject({ status: 404, body: { code: 'import_job_not_found' } });
  for (const id of ['no-id', UNKNOWN_JOB]) {
    for (const path of [WITHDRAWALS, '/v1/data-import/withdrawals/']) {
      for (const part of ['', 'kept/', 'businesses/']) {
        const token = path === WITHDRAWALS ? service.operatorToken : client.token;
        const found = await service.call('GET', `${path}${id}/${part}`, { token });
        expect(found).toMatchObject({ status: 404, body: { code: 'withdrawal_not_found' } });
      }
    }
  }
});

test('rejects jobs that have not ended, create no accounts, or have no results', async () => {
  const open = await client.open({ goal: 'CREATE', operations_team_name: 'Migration' });
  const validating = await client.open();
  const reason = { reason: 'Wrong file.' };
  const withdraw = (jobId: string) =>
    service.call('POST', `${IMPORT_JOBS}${jobId}/withdraw/`, { token: client.token, body: reason });
  expect(await withdraw(open)).toMatchObject({ status: 400, body: { code: 'import_job_not_withdrawable' } });
  expect((await withdraw(validating)).body.detail).toMatch(/^The job creates no accounts/);
  await client.post(open, 'cancel');
  expect((await withdraw(open)).status).toBe(202);
  await service.database.pool.query('update import_job set results_deleted_at = now() where id = $1', [open]);
  expect((await withdrawals.job(open)).body.detail).toMatch(/^The results of the job were deleted/);
});

test('lists all kept accounts and all businesses as JSON lines', async () => {
  const { body } = await withdrawals.account(external);
  const id = body.withdrawal_id;
  await service.database.pool.query(
    `insert into withdrawal_obstacle select $1, 'KEPT-' || lpad(n::text, 5, '0'), '{notes_added,switch_requested}' from generate_series(1, 5001) n`,
    [id],
  );
  await service.database.pool.query(
    `insert into withdrawal_business select $1, 'BIZ-' || n, gen_random_uuid(), n, nullif('withdrawn', case n when 2 then 'withdrawn' end) from generate_series(1, 2) n`,
    [id],
  );
  const read = async (list: string) => {
    const calls = [
      service.call('GET', `${WITHDRAWALS}${id}/${list}/`, { token: service.operatorToken }),
      service.call('GET', `/v1/data-import/withdrawals/${id}/${list}/`, { token: client.token }),
    ];
    const [operators, suppliers] = await Promise.all(calls);
    expect(operators).toMatchObject({ status: 200, headers: { 'content-type': 'application/x-ndjson' } });
    expect(suppliers!.body).toEqual(operators!.body);
    return operators!.body;
  };
  const kept = await read('kept');
  expect(kept).toHaveLength(5_001);
  expect(kept.at(-1)).toEqual({
    external_account_number: 'KEPT-05001',
    obstacles: ['notes_added', 'switch_requested'],
  });
  expect(await read('businesses')).toEqual([
    { external_business_identifier: 'BIZ-1', service_business_id: 1, outcome: 'withdrawn' },
    { external_business_identifier: 'BIZ-2', service_business_id: 2, outcome: null },
  ]);
});

test('hides the jobs and withdrawals of other suppliers', async () => {
  const jobId = await client.open({ goal: 'CREATE', operations_team_name: 'Migration' });
  await client.post(jobId, 'cancel');
  const { body } = await withdrawals.job(jobId);
  await service.database.pool.query(`insert into import_supplier (code, name) values ('OTHER', 'Other')`);
  const other = await service.supplierToken(['OTHER']);
  const read = await service.call('GET', `/v1/data-import/withdrawals/${body.withdrawal_id}/`, { token: other });
  expect(read).toMatchObject({ status: 404, body: { code: 'withdrawal_not_found' } });
  const withdraw = await service.call('POST', `${IMPORT_JOBS}${jobId}/withdraw/`, {
    token: other,
    body: { reason: 'Not ours.' },
  });
  expect(withdraw).toMatchObject({ status: 404, body: { code: 'import_job_not_found' } });
  expect(OPERATORS_IMPORT_JOBS).toContain('operations');
});
