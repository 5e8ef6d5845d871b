import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../../support/account-payload.ts';
import { addAccounts } from '../../support/attachments.ts';
import { startService, type Service } from '../../support/harness.ts';
import { until } from '../../support/until.ts';
import {
  instructionCalls,
  instructionsOf,
  workItemsOf,
  startPaymentVendors,
  type SimulatedVendors,
} from '../../support/payment-vendors.ts';

let vendors: SimulatedVendors;
let service: Service;
let token: string;
let create: ReturnType<typeof instructionCalls>;
beforeAll(async () => {
  vendors = await startPaymentVendors();
  service = await startService({ worker: true, settings: vendors.settings });
  token = await service.supplierToken(['SUPPLIER_FR']);
  create = instructionCalls(service, token);
  await addAccounts(service, [
    'TOLD',
    'ONE',
    'TWICE',
    'RACE',
    'NEXT',
    'BACK',
    'PAUSED',
    'LATE',
    'GONE',
    ...KINDS.map(([, , reference]) => `K-${reference}`),
  ]);
});
afterAll(async () => {
  await service?.stop();
  await vendors?.stop();
});

const KINDS: [string, string, string][] = [
  ['GOCARDLESS', 'DIRECT_DEBIT', 'MD0001'],
  ['GOCARDLESS', 'DIRECT_DEBIT', 'BA0001'],
  ['STRIPE', 'CARD', 'pm_1MqLiJ'],
  ['STRIPE', 'DIRECT_DEBIT', 'pm_sepa_1MqLiJ'],
  ['STRIPE', 'DIRECT_DEBIT', 'mandate_1MqLiJ'],
  ['SLIMPAY', 'DIRECT_DEBIT', 'RUM+2026/(1) ?é&='],
  ['ADYEN', 'CARD', 'shopper-1/CARD-1'],
  ['ADYEN', 'DIRECT_DEBIT', 'SEPA-1'],
];

test.each(KINDS)(
  'stores an instruction at %s for a %s known by %s, and returns both numbers',
  async (vendor, type, reference) => {
    const external = `K-${reference}`;
    const answer = await create(external, ` ${reference} `, { vendor, type, colour: 'red' });
    expect(answer.status).toBe(201);
    const { rows } = await service.database.pool.query(
      'select number from account where external_account_number = $1',
      [external],
    );
    expect(answer.body).toEqual({
      service_account_number: rows[0].number,
      reference,
      warnings: [expect.objectContaining({ attr: 'colour', code: 'unknown_member' })],
    });
    expect(await instructionsOf(service, external)).toEqual([
      { vendor, type, reference, inForce: true, isVerified: true },
    ]);
    expect(await workItemsOf(service, external)).toBe(0);
  },
);

test('reports a completed verification, without the reference', async () => {
  await create('TOLD', 'MD-TOLD');
  const { body } = await service.call('GET', '/v1/data-import/events/?limit=500', { token });
  const reported = body.filter(({ subject }: any) => subject === 'accounts/TOLD');
  expect(reported).toMatchObject([
    {
      type: 'payment_instruction.verified.v1',
      data: { external_account_number: 'TOLD', vendor: 'GOCARDLESS', type: 'DIRECT_DEBIT' },
    },
  ]);
  expect(JSON.stringify(reported)).not.toContain('MD-TOLD');
});

test('answers a repeated request immediately, without calling the vendor', async () => {
  const first = await create('TWICE', 'MD-TWICE');
  const again = await create('TWICE', 'MD-TWICE');
  expect(again).toMatchObject({ status: 201, body: first.body });
  await service.database.pool.query(`update payment_verification set completed_at = now() - interval '1 day'`);
  expect((await create('TWICE', 'MD-TWICE')).status).toBe(201);
  expect(vendors.of.GOCARDLESS.callsAbout('MD-TWICE')).toBe(1);
  expect(await instructionsOf(service, 'TWICE')).toHaveLength(1);
});

test('answers ten concurrent clients with the same reference 201 after one verification', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => create('RACE', 'MD-FAILING-1-RACE')));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 201));
  // Once failed and once succeeded, and not ten times.
  expect(vendors.of.GOCARDLESS.callsAbout('MD-FAILING-1-RACE')).toBe(2);
  expect(await instructionsOf(service, 'RACE')).toHaveLength(1);
});

test('keeps the newest of a type in force, others of another type beside it, and the replaced one stored', async () => {
  await create('NEXT', 'MD-OLD');
  await create('NEXT', 'pm_card', { vendor: 'STRIPE', type: 'CARD' });
  await create('NEXT', 'RUM-NEW', { vendor: 'SLIMPAY' });
  expect(await instructionsOf(service, 'NEXT')).toMatchObject([
    { reference: 'MD-OLD', inForce: false },
    { reference: 'pm_card', inForce: true },
    { reference: 'RUM-NEW', inForce: true },
  ]);
  const shown = (
    await service.call('GET', '/v1/operations/accounts/SUPPLIER_FR/NEXT/', { token: service.operatorToken })
  ).body.account;
  expect(shown.other_payment_instructions).toMatchObject([
    { reference: 'MD-OLD', replaced_at: expect.any(String) },
    { replaced_at: null },
    { replaced_at: null, verified_at: expect.any(String) },
  ]);
  expect(shown.payment_verifications).toMatchObject([
    {
      outcome: 'verified',
      workflow_id: expect.stringMatching(
        /^verify-instruction\/SUPPLIER_FR\/NEXT\/GOCARDLESS\/DIRECT_DEBIT\/[0-9a-f]{32}$/,
      ),
    },
    {},
    {},
  ]);
});

test('verifies a replaced instruction again when it is sent again, and returns 201 with it in force', async () => {
  for (const reference of ['MD-FIRST', 'MD-SECOND', 'MD-FIRST']) {
    expect((await create('BACK', reference)).status).toBe(201);
  }
  expect(vendors.of.GOCARDLESS.callsAbout('MD-FIRST')).toBe(2);
  expect((await instructionsOf(service, 'BACK')).map(({ reference, inForce }) => `${reference} ${inForce}`)).toEqual([
    'MD-FIRST false',
    'MD-SECOND false',
    'MD-FIRST true',
  ]);
});

test('keeps the later request in force even if the vendor settles the earlier one after it', async () => {
  const earlier = create('LATE', 'MD-FAILING-3-EARLIER');
  await until(() => vendors.of.GOCARDLESS.callsAbout('MD-FAILING-3-EARLIER') > 0);
  expect((await create('LATE', 'MD-LATER')).status).toBe(201);
  expect((await earlier).status).toBe(201);
  expect(await instructionsOf(service, 'LATE')).toMatchObject([
    { reference: 'MD-LATER', inForce: true },
    { reference: 'MD-FAILING-3-EARLIER', inForce: false },
  ]);
});

test('keeps a preference unresolved until its instruction is stored, and does not change those of the payload', async () => {
  const [point, other] = ['25012345678901', '25012345678902'];
  const body = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'PREFERS' }, 71);
  const [address] = body.supply_addresses!;
  address!.supply_points = [
    {
      identifier: point,
      supply_type: 'ELECTRICITY',
      supply_start_date: '2027-01-01',
      payment_instructions: [{ vendor: 'GOCARDLESS', reference: 'MD-PAYLOAD', type: 'DIRECT_DEBIT' }],
    },
    {
      identifier: other,
      supply_type: 'ELECTRICITY',
      supply_start_date: '2027-01-01',
      payment_instructions: [{ vendor: 'STRIPE', reference: 'pm_payload', type: 'CARD' }],
    },
  ] as never;
  body.payment_preferences = [
    {
      type: 'ACTIVE_EXISTING',
      supply_point_identifier: point,
      instruction_reference_params: { vendor_name: 'SLIMPAY', vendor_reference: 'RUM-EXISTING' },
    },
  ] as never;
  expect(
    (await service.call('POST', '/v1/data-import/account-import-process/create-or-update/', { token, body })).status,
  ).toBe(201);
  const request = {
    external_account_number: 'PREFERS',
    import_supplier_code: 'SUPPLIER_FR',
    operations_team_name: 'Migration',
  };
  expect(
    (await service.call('POST', '/v1/data-import/account-import-process/process/', { token, body: request })).status,
  ).toBe(201);
  const unresolved = async () => {
    const { account } = (
      await service.call('GET', '/v1/operations/accounts/SUPPLIER_FR/PREFERS/', { token: service.operatorToken })
    ).body;
    return account.supply_addresses[0].supply_points[0].payment_preferences[0].unresolved;
  };
  expect(await unresolved()).toBe(true);
  expect((await create('PREFERS', 'RUM-EXISTING', { vendor: 'SLIMPAY' })).status).toBe(201);
  expect(await unresolved()).toBe(false);
  expect(await instructionsOf(service, 'PREFERS')).toEqual([
    { vendor: 'GOCARDLESS', reference: 'MD-PAYLOAD', type: 'DIRECT_DEBIT', inForce: true, isVerified: false },
    { vendor: 'STRIPE', reference: 'pm_payload', type: 'CARD', inForce: true, isVerified: false },
    { vendor: 'SLIMPAY', reference: 'RUM-EXISTING', type: 'DIRECT_DEBIT', inForce: true, isVerified: true },
  ]);
});

test('gives numbers and references with special characters their own workflows', async () => {
  const wide = '€'.repeat(128);
  await addAccounts(service, [wide]);
  for (const reference of ['é'.repeat(511) + '1', 'é'.repeat(511) + '2']) {
    expect((await create(wide, reference)).status).toBe(201);
  }
  const { rows } = await service.database.pool.query(
    'select distinct workflow_id from payment_verification v join account a on a.id = v.account_id where a.external_account_number = $1',
    [wide],
  );
  expect(rows).toHaveLength(2);
  for (const { workflow_id: id } of rows) expect(id.length).toBeLessThanOrEqual(200);
});

test('accepts instructions of a supplier that is paused or complete', async () => {
  for (const status of ['Paused', 'Complete']) {
    await service.call('PUT', '/v1/operations/import-suppliers/SUPPLIER_FR/', {
      token: service.operatorToken,
      body: { status },
    });
    expect((await create('PAUSED', `MD-${status}`)).status).toBe(201);
  }
});

test('completes although the caller hangs up', async () => {
  const leaving = new AbortController();
  const body = JSON.stringify({
    import_supplier: 'SUPPLIER_FR',
    external_account_number: 'GONE',
    vendor: 'GOCARDLESS',
    reference: 'MD-FAILING-2-GONE',
    type: 'DIRECT_DEBIT',
  });
  const sent = fetch(`${service.url}/v1/data-import/payment-instruction/create/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Token ${token}` },
    body,
    signal: leaving.signal,
  });
  await until(() => vendors.of.GOCARDLESS.callsAbout('MD-FAILING-2-GONE') > 0);
  leaving.abort();
  await expect(sent).rejects.toThrow('aborted');
  await until(async () => (await instructionsOf(service, 'GONE')).length === 1);
  expect((await create('GONE', 'MD-FAILING-2-GONE')).status).toBe(201);
});
