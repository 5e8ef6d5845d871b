import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../../support/account-payload.ts';
import { faultsOf } from '../../support/attachments.ts';
import { startService } from '../../support/harness.ts';
import { instructionCalls, instructionsOf, startPaymentVendors } from '../../support/payment-vendors.ts';

const vendors = await startPaymentVendors();
const service = await startService({ worker: true, settings: vendors.settings });
const token = await service.supplierToken(['SUPPLIER_FR']);
const create: ReturnType<typeof instructionCalls> = instructionCalls(service, token);
afterAll(async () => {
  await service.stop();
  await vendors?.stop();
});

/** An account with two points, each with its own mandate and a preference for it. */
async function importAccount(external: string, [first, second]: readonly [string, string]): Promise<void> {
  const body = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: external });
  const [address] = body.supply_addresses!;
  const point = (identifier: string) => ({
    identifier,
    supply_type: 'ELECTRICITY',
    supply_start_date: '2027-01-01',
    payment_instructions: [{ vendor: 'GOCARDLESS', reference: `MD-${identifier}`, type: 'DIRECT_DEBIT' }],
  });
  address!.supply_points = [point(first), point(second)] as never;
  body.payment_preferences = [first, second].map((identifier) => ({
    type: 'ACTIVE_NEW',
    supply_point_identifier: identifier,
    instruction_reference_params: { vendor_name: 'GOCARDLESS', vendor_reference: `MD-${identifier}` },
  })) as never;
  const post = (path: string, sent: object) =>
    service.call('POST', `/v1/data-import/account-import-process/${path}/`, { token, body: sent });
  expect((await post('create-or-update', body)).status).toBe(201);
  expect(
    (
      await post('process', {
        external_account_number: external,
        import_supplier_code: 'SUPPLIER_FR',
        operations_team_name: 'Migration',
      })
    ).status,
  ).toBe(201);
}

const inForce = async (external: string) =>
  (await instructionsOf(service, external)).filter((one) => one.inForce).map(({ reference }) => reference);
const view = async (external: string) =>
  (await service.call('GET', `/v1/operations/accounts/SUPPLIER_FR/${external}/`, { token: service.operatorToken }))
    .body;
const unresolved = async (external: string) =>
  (await view(external)).account.supply_addresses[0].supply_points.map(
    (point: any) => point.payment_preferences[0].unresolved,
  );

test('replaces only instructions without a point, and leaves the mandates of points alone', async () => {
  await importAccount('WHOLE', ['25012345670001', '25012345670002']);
  for (const reference of ['MD-A', 'MD-B', 'MD-A']) expect((await create('WHOLE', reference)).status).toBe(201);
  expect(await inForce('WHOLE')).toEqual(['MD-25012345670001', 'MD-25012345670002', 'MD-A']);
  // The third request found the first one replaced: it is verified again, and back in force.
  expect(vendors.of.GOCARDLESS.callsAbout('MD-A')).toBe(2);
  expect(await unresolved('WHOLE')).toEqual([false, false]);
});

test('replaces the mandate of one point only; a preference for the replaced one becomes unresolved', async () => {
  await importAccount('POINTS', ['25012345670011', '25012345670012']);
  const ofPoint = (reference: string, identifier: string) =>
    create('POINTS', reference, { supply_point_identifier: identifier });
  expect((await ofPoint('MD-NEW', ' 25012345670012 ')).status).toBe(201);
  expect(await inForce('POINTS')).toEqual(['MD-25012345670011', 'MD-NEW']);
  expect(await unresolved('POINTS')).toEqual([false, true]);
  expect((await view('POINTS')).warnings).toEqual([
    {
      code: 'payment_preference_unresolved',
      attr: 'payment_preferences.1.instruction_reference_params',
      detail: expect.any(String),
    },
  ]);
  // The same reference for another point, or for the account, is another instruction.
  const calls = vendors.of.GOCARDLESS.callsAbout('MD-NEW');
  for (const answer of [await ofPoint('MD-NEW', '25012345670011'), await create('POINTS', 'MD-NEW')]) {
    expect(answer.status).toBe(201);
  }
  expect(vendors.of.GOCARDLESS.callsAbout('MD-NEW')).toBe(calls + 2);
  expect(await inForce('POINTS')).toEqual(['MD-NEW', 'MD-NEW', 'MD-NEW']);
  // An instruction in force is answered immediately.
  expect((await ofPoint('MD-NEW', '25012345670012')).status).toBe(201);
  expect(vendors.of.GOCARDLESS.callsAbout('MD-NEW')).toBe(calls + 2);
  const [address] = (await view('POINTS')).account.supply_addresses;
  expect(address.supply_points.map((point: any) => point.payment_instructions.at(-1))).toMatchObject([
    { reference: 'MD-NEW', replaced_at: null },
    { reference: 'MD-NEW', replaced_at: null },
  ]);
});

test('rejects a point that the account does not have, and calls no vendor', async () => {
  await importAccount('STRANGE', ['25012345670021', '25012345670022']);
  const answer = await create('STRANGE', 'MD-STRANGE', { supply_point_identifier: '25012345670011' });
  expect(answer).toMatchObject({
    status: 400,
    body: { code: 'validation_failed', reference: 'MD-STRANGE', error_detail: expect.any(String) },
  });
  expect(faultsOf(answer)).toEqual(['supply_point_not_found supply_point_identifier']);
  expect(vendors.of.GOCARDLESS.callsAbout('MD-STRANGE')).toBe(0);
});

test('verifies and stores one instruction for each of two points with ten concurrent requests', async () => {
  const points = ['25012345670031', '25012345670032'] as const;
  await importAccount('RACE', points);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      create('RACE', 'MD-RACE', { supply_point_identifier: points[index % 2]! }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 201));
  expect(vendors.of.GOCARDLESS.callsAbout('MD-RACE')).toBe(2);
  expect(await inForce('RACE')).toEqual(['MD-RACE', 'MD-RACE']);
});

test('warns of an instruction that is in force on another account of the same supplier', async () => {
  await importAccount('SHARED-1', ['25012345670041', '25012345670042']);
  await importAccount('SHARED-2', ['25012345670043', '25012345670044']);
  for (let time = 0; time < 2; time += 1) {
    expect((await create('SHARED-2', 'MD-25012345670042')).body).toMatchObject({
      reference: 'MD-25012345670042',
      warnings: [
        {
          code: 'payment_instruction_on_another_account',
          attr: 'reference',
          detail: expect.stringContaining('SHARED-1'),
        },
      ],
    });
  }
  expect((await view('SHARED-1')).warnings).toEqual([
    {
      code: 'payment_instruction_on_another_account',
      attr: 'supply_addresses.0.supply_points.1.payment_instructions.0.reference',
      detail: expect.stringContaining('SUPPLIER_FR/SHARED-2'),
    },
  ]);
});
