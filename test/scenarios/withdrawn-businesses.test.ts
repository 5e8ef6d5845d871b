import { afterAll, expect, test } from '@jest/globals';
import { businessAccount } from '../support/account-payload.ts';
import { businessRequest } from '../support/business-payload.ts';
import { startService } from '../support/harness.ts';
import { putJob, startJob, untilJob } from '../support/run-import-job.ts';
import { inDays } from '../support/switching.ts';
import { contentsOfTables } from '../support/table-contents.ts';
import { until } from '../support/until.ts';
import { OUTSIDE_WITHDRAWAL, withdrawalsOf } from '../support/withdrawals.ts';

const service = await startService({ worker: true });
const withdrawals = withdrawalsOf(service);
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);
const post = (path: string, body: unknown) => service.call('POST', `/v1/data-import/${path}/`, { token, body });

const createBusiness = async (sequence: number): Promise<number> => {
  const created = await post('business', businessRequest({}, sequence));
  expect(created.status).toBe(201);
  return created.body.service_business_id;
};

/** An account with the contract of a business, whose switch is not due yet. */
function account(sequence: number, business: number): any {
  const sent: any = businessAccount({ import_supplier: 'SUPPLIER_FR' }, sequence);
  sent.business.business_contract_identifier = `FRAME-${business}`;
  for (const address of sent.supply_addresses) {
    for (const point of address.supply_points) point.supply_start_date = inDays(200);
  }
  return sent;
}

const stage = async (sent: any): Promise<string> => {
  expect((await post('account-import-process/create-or-update', sent)).status).toBe(201);
  return sent.external_account_number;
};
const create = (external: string) =>
  post('account-import-process/process', {
    import_supplier_code: 'SUPPLIER_FR',
    external_account_number: external,
    operations_team_name: 'Migration',
  });
const created = async (sent: any): Promise<string> => {
  const external = await stage(sent);
  expect((await create(external)).status).toBe(201);
  return external;
};
const findBusiness = (identifier: string) =>
  service.call('GET', `/v1/operations/businesses/SUPPLIER_FR/${identifier}/`, { token: service.operatorToken });

/** Tables of jobs, which keep what happened. */
const JOBS = [
  'import_job',
  'import_job_line',
  'import_job_page',
  'import_job_part',
  'import_job_cause',
  'party_health',
  'party_minute',
];
const contents = () => contentsOfTables(service.database, [...OUTSIDE_WITHDRAWAL, ...JOBS]);

test('deletes on request the business of withdrawn accounts, which can be created again', async () => {
  const [one, other] = [account(1, 1), account(2, 1)];
  await stage(one);
  await stage(other);
  const before = await contents();
  const businessId = await createBusiness(1);
  const jobId = await putJob(service.database, { goal: 'CREATE', selection: 'staged' });
  await startJob(service.gateway, jobId);
  expect(await untilJob(service.database, jobId)).toMatchObject({ succeeded: 2 });
  expect(await withdrawals.job(jobId, { dry_run: true })).toMatchObject({
    body: { can_be_withdrawn: 2, businesses: { can_be_withdrawn: 1, kept: 0 } },
  });
  const ended = await withdrawals.finished(await withdrawals.job(jobId, { withdraw_businesses: true }));
  expect(ended).toMatchObject({
    withdrawn: 2,
    withdraw_businesses: true,
    businesses: [{ outcome: 'withdrawn', businesses: 1, examples: ['WORKS-1'], description: expect.any(String) }],
    deleted_rows: expect.arrayContaining([
      { table: 'business', rows: 1 },
      { table: 'business_detail', rows: 2 },
      { table: 'business_contract', rows: 1 },
      { table: 'contract_version', rows: expect.any(Number) },
      { table: 'contract_term', rows: expect.any(Number) },
    ]),
  });
  expect(await contents()).toEqual(before);
  expect((await findBusiness('WORKS-1')).status).toBe(404);

  const external = one.external_account_number;
  expect(await create(external)).toMatchObject({
    status: 400,
    body: { errors: [expect.objectContaining({ code: 'business_contract_not_found' })] },
  });
  expect(await createBusiness(1)).not.toBe(businessId);
  expect((await create(external)).status).toBe(201);
  await until(async () => {
    const { body } = await service.call('GET', '/v1/data-import/events/?limit=500', { token });
    return body.some(
      ({ type, data }: any) => type === 'import.business.withdrawn.v1' && data.service_business_id === businessId,
    );
  });
});

test('keeps businesses by default, and says so in the receipt', async () => {
  await createBusiness(10);
  const external = await created(account(10, 10));
  expect(await withdrawals.withdrawn(external)).toMatchObject({
    withdrawn: 1,
    withdraw_businesses: false,
    businesses: [{ outcome: 'not_requested', businesses: 1, examples: ['WORKS-10'] }],
  });
  expect((await findBusiness('WORKS-10')).status).toBe(200);
  // The account can be created again without more.
  expect((await create(external)).status).toBe(201);
});

test('keeps a business that another created account has, or a staged one names', async () => {
  await createBusiness(20);
  await createBusiness(30);
  const withCreated = await created(account(20, 20));
  await created(account(21, 20));
  const withStaged = await created(account(30, 30));
  await stage(account(31, 30));
  for (const [external, business] of [
    [withCreated, 'WORKS-20'],
    [withStaged, 'WORKS-30'],
  ] as const) {
    expect(await withdrawals.account(external, { dry_run: true })).toMatchObject({
      body: { can_be_withdrawn: 1, businesses: { can_be_withdrawn: 0, kept: 1 } },
    });
    const ended = await withdrawals.finished(await withdrawals.account(external, { withdraw_businesses: true }));
    expect(ended.businesses).toMatchObject([{ outcome: 'in_use', businesses: 1, examples: [business] }]);
    expect((await findBusiness(business)).status).toBe(200);
  }
});

test('creates a business again while a withdrawal deletes it', async () => {
  const businessId = await createBusiness(40);
  const external = await created(account(40, 40));
  const started = await withdrawals.account(external, { withdraw_businesses: true });
  const answers: any[] = [];
  let ended = false;
  const finished = withdrawals.finished(started).finally(() => (ended = true));
  while (!ended) answers.push(await post('business', businessRequest({}, 40)));
  expect((await finished).withdrawn).toBe(1);
  answers.push(await post('business', businessRequest({}, 40)));
  expect(answers.filter(({ status }) => status !== 201)).toEqual([]);
  expect(new Set(answers.map(({ body }) => body.service_business_id)).size).toBeLessThanOrEqual(2);
  expect(answers.at(-1).body.service_business_id).not.toBe(businessId);
});
