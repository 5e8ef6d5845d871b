import { afterAll, expect, test } from '@jest/globals';
import { addAccounts } from '../../support/attachments.ts';
import { startService } from '../../support/harness.ts';
import { until } from '../../support/until.ts';
import { insertProcesses } from '../../support/import-process-lists.ts';
import { instructionCalls, instructionsOf, workItemsOf, startPaymentVendors } from '../../support/payment-vendors.ts';

const vendors = await startPaymentVendors();
const service = await startService({ worker: true, settings: vendors.settings });
await service.call('PUT', '/v1/operations/import-suppliers/OTHER_FR/', { token: service.operatorToken, body: {} });
const own: ReturnType<typeof instructionCalls> = instructionCalls(
  service,
  await service.supplierToken(['SUPPLIER_FR']),
);
const ofOther = instructionCalls(service, await service.supplierToken(['OTHER_FR']));
const foreign: (external: string, reference: string, more?: object) => ReturnType<typeof own> = (
  external,
  reference,
  more = {},
) => ofOther(external, reference, { import_supplier: 'OTHER_FR', ...more });
await addAccounts(service, ['HOLDER', 'PAYLOAD', 'RACER']);
await insertProcesses(service.database, 'OTHER_FR', ['CLAIMANT', 'FREE', 'RACER-2'], 'imported');
afterAll(async () => {
  await service.stop();
  await vendors?.stop();
});

test("rejects a mandate in force on another supplier's account without naming it or calling the vendor", async () => {
  expect((await own('HOLDER', 'MD-TAKEN')).status).toBe(201);
  const calls = vendors.of.GOCARDLESS.callsAbout('MD-TAKEN');
  for (let time = 0; time < 2; time += 1) {
    const answer = await foreign('CLAIMANT', 'MD-TAKEN');
    expect(answer).toMatchObject({
      status: 400,
      body: {
        code: 'payment_instruction_in_use',
        external_account_number: 'CLAIMANT',
        import_supplier: 'OTHER_FR',
        reference: 'MD-TAKEN',
        error_detail: expect.any(String),
      },
    });
    expect(JSON.stringify(answer.body)).not.toMatch(/HOLDER|SUPPLIER_FR/);
  }
  expect(vendors.of.GOCARDLESS.callsAbout('MD-TAKEN')).toBe(calls);
  expect([await instructionsOf(service, 'CLAIMANT'), await workItemsOf(service, 'CLAIMANT')]).toEqual([[], 0]);
  const { account, warnings } = (
    await service.call('GET', '/v1/operations/accounts/OTHER_FR/CLAIMANT/', { token: service.operatorToken })
  ).body;
  expect(account.payment_verifications).toMatchObject([{ outcome: 'rejected', reason: 'payment_instruction_in_use' }]);
  // Operators see which account has it.
  expect(warnings).toEqual([
    {
      code: 'payment_instruction_on_another_account',
      attr: 'payment_verifications',
      detail: expect.stringContaining('SUPPLIER_FR/HOLDER.'),
    },
  ]);
});

test('treats a mandate that came with an account as in force, ignoring the case of its vendor, and a replaced one as free', async () => {
  await service.database.pool.query(
    `insert into payment_instruction (account_id, position, vendor, reference, type) select id, 0, 'GoCardless', 'MD-SENT', 'DIRECT_DEBIT' from account where external_account_number = 'PAYLOAD'`,
  );
  expect((await foreign('CLAIMANT', 'MD-SENT')).body.code).toBe('payment_instruction_in_use');
  expect((await own('PAYLOAD', 'MD-NEXT')).status).toBe(201);
  expect((await foreign('FREE', 'MD-SENT')).status).toBe(201);
});

test('accepts one of two suppliers that verify the same mandate concurrently, and rejects the other', async () => {
  const both = [own('RACER', 'MD-FAILING-2-RACE'), foreign('RACER-2', 'MD-FAILING-2-RACE')];
  await until(async () => (await workItemsOf(service, 'RACER')) + (await workItemsOf(service, 'RACER-2')) === 2, 10);
  const answers = await Promise.all(both);
  expect(answers.map(({ status, body }) => `${status} ${body.code ?? ''}`.trim()).sort()).toEqual([
    '201',
    '400 payment_instruction_in_use',
  ]);
  expect([...(await instructionsOf(service, 'RACER')), ...(await instructionsOf(service, 'RACER-2'))]).toHaveLength(1);
});
