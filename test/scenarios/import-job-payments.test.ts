import { afterAll, expect, test } from '@jest/globals';
import type { ImportJobGoal } from '../../src/vocabulary/import-jobs.ts';
import { addAccounts } from '../support/attachments.ts';
import { startService } from '../support/harness.ts';
import { instructionsOf, startPaymentVendors } from '../support/payment-vendors.ts';
import { keyOfToken } from '../support/stored-jobs.ts';
import { putJob, startJob, untilJob } from '../support/run-import-job.ts';

const vendors = await startPaymentVendors();
const service = await startService({ worker: true, settings: { ...vendors.settings, PAYMENT_REFUSALS_PER_HOUR: '2' } });
const { keyId } = await keyOfToken(service.database, await service.supplierToken(['SUPPLIER_FR']));
afterAll(async () => {
  await service.stop();
  await vendors?.stop();
});

const line = (external: string, vendor: string, type: string, reference: string) => ({
  external_account_number: external,
  vendor,
  type,
  reference,
});

async function start(lines: readonly object[], goal: ImportJobGoal = 'IMPORT', linesOfPage = 3): Promise<string> {
  const jobId = await putJob(service.database, { kind: 'payment-instructions', goal, lines, linesOfPage });
  await service.database.pool.query('update import_job set api_key_id = $2 where id = $1', [jobId, keyId]);
  await startJob(service.gateway, jobId);
  return jobId;
}

async function outcomes(jobId: string): Promise<string[]> {
  const { rows } = await service.database.pool.query(
    `select state, coalesce(number, errors -> 0 ->> 'code', '') as what from import_job_line where job_id = $1 order by line`,
    [jobId],
  );
  return rows.map(({ state, what }) => `${state} ${what}`.trim());
}

const vendorCalls = () => Object.values(vendors.of).reduce((sum, vendor) => sum + vendor.calls(), 0);

test('VALIDATE reports everything that needs no vendor, and calls none', async () => {
  await addAccounts(service, ['V1']);
  const before = vendorCalls();
  const jobId = await start(
    [
      line('V1', 'GOCARDLESS', 'DIRECT_DEBIT', 'MD-0001'),
      line('V1', 'GOCARDLESS', 'CARD', 'MD-0001'),
      line('NOBODY', 'STRIPE', 'CARD', 'pm_0001'),
      { ...line('V1', 'STRIPE', 'CARD', 'pm_0001'), supply_point_identifier: '12345678901234' },
      { external_account_number: 'V1' },
    ],
    'VALIDATE',
  );
  await untilJob(service.database, jobId);
  expect(await outcomes(jobId)).toEqual([
    'succeeded',
    'failed invalid_payment_instruction',
    'failed account_not_found',
    'failed supply_point_not_found',
    'failed required',
  ]);
  expect(vendorCalls()).toBe(before);
  expect((await service.database.pool.query('select 1 from payment_verification')).rowCount).toBe(0);
});

test.each([
  ['in one page', 250],
  ['each in a page of its own', 1],
])('keeps the last line of an account in force, %s, also if an earlier one takes longer', async (how, linesOfPage) => {
  const numbers = Array.from({ length: 12 }, (_, index) => `ORDER-${linesOfPage}-${index}`);
  await addAccounts(service, numbers);
  const sent = numbers.map((number, index) => {
    const slow = index % 3 === 0 ? 'pm_BUSY-1_' : 'pm_';
    const [first, second] = [`${slow}${how.length}_${index}a`, `pm_${how.length}_${index}b`];
    return { number, references: index % 2 === 0 ? [first, second] : [first, second, first] };
  });
  const lines = sent.flatMap(({ number, references }) =>
    references.map((reference) => line(number, 'STRIPE', 'CARD', reference)),
  );
  const jobId = await start(lines, 'IMPORT', linesOfPage);
  expect(await untilJob(service.database, jobId)).toMatchObject({ succeeded: lines.length, failed: 0 });
  const { rows } = await service.database.pool.query(
    `select a.external_account_number as number, array_agg(i.reference) as references from payment_instruction i join account a on a.id = i.account_id
     where i.replaced_at is null and a.external_account_number = any($1) group by 1`,
    [numbers],
  );
  const inForce = new Map(rows.map(({ number, references }) => [number, references]));
  expect(numbers.map((number) => inForce.get(number))).toEqual(sent.map(({ references }) => [references.at(-1)]));
});

test("completes each line with its vendor's result, and stores nothing twice on a resend", async () => {
  await addAccounts(service, ['P1', 'P2']);
  const lines = [
    line('P1', 'GOCARDLESS', 'DIRECT_DEBIT', 'MD-0001'),
    line('P1', 'GOCARDLESS', 'DIRECT_DEBIT', 'MD-UNKNOWN'),
    line('P2', 'STRIPE', 'CARD', 'pm_0002'),
    line('P2', 'STRIPE', 'CARD', 'pm_0002'),
    line('P1', 'ADYEN', 'CARD', 'BUSY-1/CARD-1'),
    line('NOBODY', 'ADYEN', 'CARD', 'CARD-2'),
  ];
  for (let sent = 0; sent < 2; sent += 1) {
    const jobId = await start(lines);
    await untilJob(service.database, jobId);
    expect(await outcomes(jobId)).toEqual([
      'succeeded MD-0001',
      'failed payment_vendor_rejected',
      'succeeded pm_0002',
      'succeeded pm_0002',
      'succeeded BUSY-1/CARD-1',
      'failed account_not_found',
    ]);
    expect(await instructionsOf(service, 'P1')).toHaveLength(2);
    expect(await instructionsOf(service, 'P2')).toHaveLength(1);
  }
});

test('delays only the lines of a vendor that does not answer, and no other job', async () => {
  await addAccounts(service, ['W1', 'W2']);
  const stuck = await start([
    line('W1', 'SLIMPAY', 'DIRECT_DEBIT', 'FAILING-999/RUM-1'),
    line('W1', 'STRIPE', 'CARD', 'pm_0011'),
    line('W1', 'SLIMPAY', 'DIRECT_DEBIT', 'FAILING-999/RUM-2'),
    line('W2', 'STRIPE', 'CARD', 'pm_0012'),
  ]);
  const otherJob = await putJob(service.database, {
    kind: 'notes',
    goal: 'IMPORT',
    lines: [{ external_account_number: 'W1', notes: [{ body: 'beside' }] }],
  });
  await startJob(service.gateway, otherJob);
  await untilJob(service.database, otherJob);
  const job = await untilJob(service.database, stuck, ({ succeeded }) => succeeded === 2);
  expect(job).toMatchObject({ status: 'VALIDATING', accepted: 4, judged: 2, failed: 0 });
  vendors.of.SLIMPAY.heal();
  await untilJob(service.database, stuck);
  expect(await outcomes(stuck)).toEqual([
    'succeeded FAILING-999/RUM-1',
    'succeeded pm_0011',
    'succeeded FAILING-999/RUM-2',
    'succeeded pm_0012',
  ]);
  // A line that is resumed for its result requests nothing again, even if its instruction was replaced meanwhile.
  expect(await instructionsOf(service, 'W1')).toHaveLength(3);
}, 120_000);

/** The workflow ids of the verifications of accounts, and those that have or had a run. */
async function runsOf(externals: readonly string[]): Promise<{ all: string[]; withRun: string[] }> {
  const { rows } = await service.database.pool.query(
    'select v.workflow_id as id from payment_verification v join account a on a.id = v.account_id where a.external_account_number = any($1)',
    [externals],
  );
  const all = rows.map(({ id }) => id as string);
  const found = await Promise.all(
    all.map((id) =>
      service.gateway
        .client()
        .workflow.getHandle(id)
        .describe()
        .then(
          () => true,
          () => false,
        ),
    ),
  );
  return { all, withRun: all.filter((_, index) => found[index]) };
}

test('verifies a page without a run for each instruction, within the limits of concurrent calls', async () => {
  const numbers = Array.from({ length: 120 }, (_, index) => `PAGE-${index}`);
  await addAccounts(service, numbers);
  const before = vendors.of.STRIPE.calls();
  const jobId = await start(
    numbers.map((number, index) => line(number, 'STRIPE', 'CARD', `pm_PAGE_${index}`)),
    'IMPORT',
    250,
  );
  expect(await untilJob(service.database, jobId)).toMatchObject({ succeeded: 120, failed: 0 });
  expect(vendors.of.STRIPE.calls()).toBe(before + 120);
  const { all, withRun } = await runsOf(numbers);
  expect(all).toHaveLength(120);
  expect(withRun).toEqual([]);
  expect((await service.database.pool.query(`select 1 from work_item where kind like 'verify%'`)).rowCount).toBe(0);
  const { rows } = await service.database.pool.query(
    `select count(*)::integer as events, count(distinct subject)::integer as subjects from (select subject, type from event_outbox union all select subject, type from event) e
     where subject like 'accounts/PAGE-%' and type = 'payment_instruction.verified.v1'`,
  );
  expect(rows).toEqual([{ events: 120, subjects: 120 }]);
});

test('starts a run for an instruction that fails in its page, and for one that is not usable yet', async () => {
  await addAccounts(service, ['ALONE-1', 'ALONE-2', 'ALONE-3']);
  const jobId = await start([
    line('ALONE-1', 'STRIPE', 'CARD', 'pm_FAILING-3_1'),
    line('ALONE-2', 'GOCARDLESS', 'DIRECT_DEBIT', 'MD-PENDING-1'),
    line('ALONE-3', 'STRIPE', 'CARD', 'pm_ALONE_3'),
  ]);
  expect(await untilJob(service.database, jobId)).toMatchObject({ succeeded: 3, failed: 0 });
  expect((await runsOf(['ALONE-1', 'ALONE-2'])).withRun).toHaveLength(2);
  expect((await runsOf(['ALONE-3'])).withRun).toEqual([]);
}, 120_000);

test('counts lines that vendors reject separately from single requests', async () => {
  const numbers = Array.from({ length: 6 }, (_, index) => `REJECTED-${index}`);
  await addAccounts(service, numbers);
  const jobId = await start(
    numbers.map((number, index) => line(number, 'GOCARDLESS', 'DIRECT_DEBIT', `MD-UNKNOWN-${index}`)),
  );
  expect(await untilJob(service.database, jobId)).toMatchObject({ succeeded: 0, failed: 6 });
});
