import { afterAll, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { createFromStaged } from '../../src/account-import/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { creationContext } from '../../src/processes/creation-context.ts';
import { createSupplierDirectory } from '../../src/suppliers/index.ts';
import { findObstacles } from '../../src/withdrawal/find-obstacles.store.ts';
import { startIndustrySwitchSimulator } from '../../src/vendors/industry-switch/industry-switch.simulator.ts';
import { businessAccount, domesticAccount } from '../support/account-payload.ts';
import { attachmentCalls, payment } from '../support/attachments.ts';
import { businessRequest } from '../support/business-payload.ts';
import { startService } from '../support/harness.ts';
import { IMPORT_JOBS, jobClient } from '../support/import-jobs.ts';
import { RECONCILIATIONS } from '../support/reconciliations.ts';
import { inDays, message, switchTestOf } from '../support/switching.ts';
import { contentsOfTables } from '../support/table-contents.ts';
import { putJob, startJob, untilJob } from '../support/run-import-job.ts';
import { until } from '../support/until.ts';
import { OUTSIDE_WITHDRAWAL, withdrawalsOf } from '../support/withdrawals.ts';

const simulator = await startIndustrySwitchSimulator();
const service = await startService({ worker: true, settings: { INDUSTRY_SWITCH_URL: simulator.url } });
const withdrawals = withdrawalsOf(service);
const switches = await switchTestOf(service);
afterAll(async () => {
  await service.stop();
  await simulator.stop();
});
const token = await service.supplierToken(['SUPPLIER_FR']);
const post = (path: string, body: unknown) => service.call('POST', `/v1/data-import/${path}/`, { token, body });
const stage = (account: object) =>
  post('account-import-process/create-or-update', { ...account, import_supplier: 'SUPPLIER_FR' });
const create = (external: string) =>
  post('account-import-process/process', {
    import_supplier_code: 'SUPPLIER_FR',
    external_account_number: external,
    operations_team_name: 'Migration',
  });
const REASON = 'The file was of the wrong month.';
const contents = () => contentsOfTables(service.database, OUTSIDE_WITHDRAWAL);
const status = async (external: string) =>
  (await service.call('GET', `/v1/data-import/account-transfer-status/SUPPLIER_FR/${external}/`, { token })).body;

/** An account whose switch is not due yet. */
function later(account: any): any {
  for (const address of account.supply_addresses) {
    for (const point of address.supply_points) point.supply_start_date = inDays(100);
  }
  return account;
}

/** Operation 8, the account and the search show the withdrawn account. */
async function expectShownAsWithdrawn(external: string, number: string): Promise<void> {
  const withdrawn = { service_account_number: number, withdrawn_at: expect.any(String), reason: REASON };
  expect(await status(external)).toMatchObject({
    status: 'UNKNOWN',
    service_account_number: '',
    withdrawn_accounts: [{ ...withdrawn, withdrawn_by: 'operators' }],
  });
  const operate = (path: string) => service.call('GET', `/v1/operations/${path}`, { token: service.operatorToken });
  expect((await operate(`accounts/SUPPLIER_FR/${external}/`)).body).toMatchObject({
    account: null,
    import_process: { imported_at: null, withdrawn_accounts: [{ ...withdrawn, withdrawn_by: 'key of a test' }] },
  });
  expect((await operate(`search/?q=${number}`)).body.results).toEqual([
    expect.objectContaining({
      id: external,
      service_number: number,
      withdrawn: { at: expect.any(String), by: 'key of a test', reason: REASON },
    }),
  ]);
}

test('leaves the tables as they were before the creation, and creates the account again with another number', async () => {
  const business = businessRequest({ import_supplier_code: 'SUPPLIER_FR' } as never);
  expect(await post('business', { ...business, import_supplier_code: 'SUPPLIER_FR' })).toMatchObject({ status: 201 });
  const label = business.business.business_contracts[0]!.identifier;
  const accounts = [later(domesticAccount({}, 1)), later(businessAccount({}, 2))];
  accounts[1].business.business_contract_identifier = label;
  for (const account of accounts) expect(await stage(account)).toMatchObject({ status: 201 });
  const before = await contents();
  const numbers: string[] = [];
  for (const { external_account_number: external } of accounts) {
    const created = await create(external);
    expect(created).toMatchObject({ status: 201 });
    numbers.push(created.body.service_account_number);
  }
  expect(await contents()).not.toEqual(before);
  for (const [index, { external_account_number: external }] of accounts.entries()) {
    expect(await withdrawals.account(external, { dry_run: true })).toMatchObject({
      status: 200,
      body: { can_be_withdrawn: 1, kept: 0, obstacles: [] },
    });
    expect(await withdrawals.withdrawn(external)).toMatchObject({
      status: 'COMPLETED',
      withdrawn: 1,
      kept: 0,
      obstacles: [],
      deleted_rows: expect.arrayContaining([
        { table: 'account', rows: 1 },
        { table: 'supply_point', rows: 2 },
        { table: 'work_item', rows: 1 },
      ]),
    });
    await expectShownAsWithdrawn(external, numbers[index]!);
  }
  expect(await contents()).toEqual(before);
  for (const [index, { external_account_number: external }] of accounts.entries()) {
    const again = await create(external);
    expect(again).toMatchObject({ status: 201 });
    expect(numbers).not.toContain(again.body.service_account_number);
    expect(await status(external)).toMatchObject({ status: 'PENDING' });
    expect(numbers[index]).not.toBe(again.body.service_account_number);
  }
  let types: string[] = [];
  await until(async () => {
    const { body } = await service.call('GET', '/v1/data-import/events/?limit=500', { token });
    types = body.map(({ type }: any) => type);
    return types.filter((type) => type === 'import.account.created.v1').length === 4;
  });
  expect(types.filter((type) => type === 'import.account.withdrawn.v1')).toHaveLength(2);
});

test('continues the switch of another account that was held because of the withdrawn one', async () => {
  const point = '21000000000091';
  await switches.create('FIRST-1', [[point, inDays(100)]]);
  await switches.create('SECOND-1', [[point, inDays(1)]]);
  await switches.create('THIRD-1', [[point, inDays(1)]]);
  await switches.dispatch();
  expect(await heldSince('SECOND-1')).not.toBeNull();
  expect(await heldSince('THIRD-1')).not.toBeNull();
  expect(await withdrawals.withdrawn('FIRST-1')).toMatchObject({ status: 'COMPLETED', withdrawn: 1 });
  expect(await heldSince('SECOND-1')).toBeNull();
  // Only one account can have the point.
  expect(await heldSince('THIRD-1')).not.toBeNull();
  await switches.dispatch();
  await until(async () => (await switches.view('SECOND-1')).switch_requests.length === 1);
  const { rows } = await service.database.pool.query('select 1 from supply_point where identifier = $1', [point]);
  expect(rows).toHaveLength(1);
});

const heldSince = async (external: string) => {
  const { rows } = await service.database.pool.query(
    'select s.held_since from account_supply_point s join account a on a.id = s.account_id where a.external_account_number = $1',
    [external],
  );
  return rows[0].held_since;
};

test('withdraws an account whose switch was rejected, and requests the switch of the next account anew', async () => {
  await switches.create('REJECTED-1', [['99110000000071', inDays(1)]]);
  await switches.dispatch();
  await until(async () => (await switches.view('REJECTED-1')).switch_requests.length === 1);
  expect(await withdrawals.account('REJECTED-1', { dry_run: true })).toMatchObject({
    body: { can_be_withdrawn: 0, kept: 1, obstacles: [{ code: 'switch_requested' }] },
  });
  await switches.send(message('REJECTED-1', 'REJECTED'));
  await switches.become('REJECTED-1', 'REJECTED');
  expect(await withdrawals.withdrawn('REJECTED-1')).toMatchObject({ withdrawn: 1, kept: 0 });
  expect(await create('REJECTED-1')).toMatchObject({ status: 201 });
  await switches.dispatch();
  await until(async () => (await switches.view('REJECTED-1')).switch_requests.length === 1);
  expect(await switches.status('REJECTED-1')).not.toBe('REJECTED');
});

test('keeps accounts with an obstacle unchanged, and names each obstacle', async () => {
  const externals = {
    notes_added: 'NOTE-1',
    transactions_added: 'TRANSACTION-1',
    statements_added: 'STATEMENT-1',
    payment_instruction_verified: 'VERIFIED-1',
    payment_verification_open: 'OPEN-1',
    staged_data_deleted: 'DELETED-1',
  };
  for (const [index, external] of Object.values(externals).entries()) {
    expect(
      await stage(later({ ...domesticAccount({}, 100 + index), external_account_number: external })),
    ).toMatchObject({ status: 201 });
    expect(await create(external)).toMatchObject({ status: 201 });
  }
  const calls = attachmentCalls(service, token);
  expect(await calls.notes('NOTE-1', [{ body: 'Called on Monday.' }])).toMatchObject({ status: 201 });
  expect(await calls.transactions('TRANSACTION-1', [payment('T-1')])).toMatchObject({ status: 201 });
  const statement = { bill_period_from_date: '2023-01-01', bill_period_to_date: '2023-01-31', statement_id: 'LATE-1' };
  expect(
    await calls.statements('STATEMENT-1', [{ ...statement, issued_date: '2023-02-01', number: '1', gross_amount: 10 }]),
  ).toMatchObject({ status: 201 });
  await verification('VERIFIED-1', true);
  await verification('OPEN-1', false);
  await service.database.pool.query(
    `update import_process set payload = null, payload_deleted_at = now() where external_account_number = 'DELETED-1'`,
  );
  const before = await contents();
  for (const [code, external] of Object.entries(externals)) {
    expect(await withdrawals.account(external, { dry_run: true })).toMatchObject({
      status: 200,
      body: { can_be_withdrawn: 0, kept: 1, obstacles: [{ code, accounts: 1, examples: [external] }] },
    });
    expect(await withdrawals.withdrawn(external)).toMatchObject({
      status: 'COMPLETED',
      withdrawn: 0,
      kept: 1,
      obstacles: [
        { code, accounts: 1, examples: [external], reason: expect.any(String), what_to_do: expect.any(String) },
      ],
      deleted_rows: [],
    });
  }
  expect(await contents()).toEqual(before);
});

/** Stores a verification of operation 7, with its instruction if it is verified. */
async function verification(external: string, isVerified: boolean): Promise<void> {
  await service.database.pool.query(
    `with v as (
      insert into payment_verification (id, account_id, workflow_id, vendor, type, reference, outcome, completed_at)
      select gen_random_uuid(), a.id, 'verify-instruction/' || a.external_account_number, 'STRIPE', 'CARD', 'pm_1', case when $2 then 'verified' end, case when $2 then now() end
      from account a where a.external_account_number = $1 returning id, account_id)
    insert into payment_instruction (account_id, position, vendor, reference, type, verification_id, verified_at)
    select v.account_id, 100, 'STRIPE', 'pm_1', 'CARD', v.id, now() from v where $2`,
    [external, isVerified],
  );
}

test('answers a retried creation with the number of the withdrawn account, and creates no other one', async () => {
  const creationId = uuidv7();
  const context = creationContext({
    suppliers: createSupplierDirectory({ database: service.database }),
    clock: systemClock,
    settings: service.settings,
  });
  expect(await stage(later(domesticAccount({ external_account_number: 'RETRIED-1' }, 300)))).toMatchObject({
    status: 201,
  });
  const entry = {
    creationId,
    importSupplier: 'SUPPLIER_FR',
    externalAccountNumber: 'RETRIED-1',
    operationsTeam: 'Migration',
  };
  const [created] = await service.database.transaction((em) => createFromStaged(em, [entry], context));
  expect(created).toMatchObject({ kind: 'created' });
  expect(await withdrawals.withdrawn('RETRIED-1')).toMatchObject({ withdrawn: 1 });
  const [retried] = await service.database.transaction((em) => createFromStaged(em, [entry], context));
  expect(retried).toEqual({ kind: 'created', serviceAccountNumber: (created as any).serviceAccountNumber });
  expect(await status('RETRIED-1')).toMatchObject({ status: 'UNKNOWN' });
});

test('withdraws the accounts of a job, whose certificate counts them as withdrawn', async () => {
  const client = await jobClient(service);
  const jobId = await client.open({ goal: 'CREATE', operations_team_name: 'Migration' });
  const accounts = [400, 401, 402].map((sequence) =>
    later(domesticAccount({ import_supplier: 'SUPPLIER_FR' }, sequence)),
  );
  await client.put(jobId, 1, accounts.map((account) => JSON.stringify(account)).join('\n'));
  await client.post(jobId, 'start');
  const read = () => service.call('GET', `${IMPORT_JOBS}${jobId}/`, { token: client.token });
  await until(async () => (await read()).body.status === 'COMPLETED');
  const kept = accounts[1].external_account_number;
  expect(await attachmentCalls(service, token).notes(kept, [{ body: 'Called.' }])).toMatchObject({ status: 201 });
  expect(await withdrawals.job(jobId, { dry_run: true })).toMatchObject({
    body: { can_be_withdrawn: 2, kept: 1, obstacles: [{ code: 'notes_added', examples: [kept] }] },
  });
  const started = await service.call('POST', `${IMPORT_JOBS}${jobId}/withdraw/`, {
    token: client.token,
    body: { reason: 'Wrong file.' },
  });
  expect(await withdrawals.finished(started)).toMatchObject({
    status: 'COMPLETED',
    withdrawn: 2,
    kept: 1,
    job_id: jobId,
  });
  // The second withdrawal comes to the kept account only.
  expect(await withdrawals.finished(await withdrawals.job(jobId))).toMatchObject({ withdrawn: 0, kept: 1 });
  const reconciled = await service.call('POST', RECONCILIATIONS, { token: client.token, body: { job_id: jobId } });
  const at = `${RECONCILIATIONS}${reconciled.body.reconciliation_id}/`;
  await until(async () => (await service.call('GET', at, { token: client.token })).body.status === 'COMPLETED');
  expect((await service.call('GET', `${at}certificate/`, { token: client.token })).body.certificate).toMatchObject({
    is_equal: true,
    accounts: 1,
    accounts_withdrawn: 2,
    differences: { missing: 0 },
  });
});

test('stores with each attachment the job that added it, so that it is no obstacle to the withdrawal of that job', async () => {
  const external = 'ATTACHED-1';
  await stage(later(domesticAccount({ external_account_number: external }, 500)));
  expect(await create(external)).toMatchObject({ status: 201 });
  const statement = { bill_period_from_date: '2023-01-01', bill_period_to_date: '2023-01-31', statement_id: 'LATE-2' };
  const lines = {
    notes: { notes: [{ body: 'From a job.' }] },
    // Before the open period, so it is moved and the service pins a note.
    transactions: { transactions: [payment('T-2', { transaction_date: '2020-01-01' })] },
    statements: { statements: [{ ...statement, issued_date: '2023-02-01', number: '1', gross_amount: 10 }] },
  };
  const jobs: string[] = [];
  for (const [kind, items] of Object.entries(lines)) {
    const line = { import_supplier: 'SUPPLIER_FR', external_account_number: external, ...items };
    const jobId = await putJob(service.database, { kind: kind as never, goal: 'IMPORT', lines: [line] });
    await startJob(service.gateway, jobId);
    expect(await untilJob(service.database, jobId)).toMatchObject({ succeeded: 1 });
    jobs.push(jobId);
  }
  const { rows } = await service.database.pool.query(
    `select a.id, (select array_agg(n.import_job_id order by n.position) from note n where n.account_id = a.id and n.import_job_id is not null) as notes,
      (select array_agg(t.import_job_id) from transaction t where t.account_id = a.id) as transactions,
      (select array_agg(s.import_job_id) from statement s where s.account_id = a.id and s.import_job_id is not null) as statements
    from account a where a.external_account_number = $1`,
    [external],
  );
  expect(rows[0]).toMatchObject({ notes: [jobs[0], jobs[1]], transactions: [jobs[1]], statements: [jobs[2]] });
  const obstacles = async (own: string[]) => (await findObstacles(service.database, [rows[0].id], own))[0]!.obstacles;
  expect(await obstacles([])).toEqual(['notes_added', 'transactions_added', 'statements_added']);
  expect(await obstacles(jobs.slice(0, 2))).toEqual(['statements_added']);
  expect(await obstacles(jobs)).toEqual([]);
});
