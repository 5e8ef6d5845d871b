import { afterAll, expect, test } from '@jest/globals';
import { findStagingWarnings } from '../../../src/account-import/index.ts';
import { businessAccount, domesticAccount, meterPointNumber, supplyPoint } from '../../support/account-payload.ts';
import { businessRequest } from '../../support/business-payload.ts';
import { startService } from '../../support/harness.ts';

const service = await startService({ worker: true });
afterAll(() => service.stop());
await service.call('PUT', '/v1/operations/import-suppliers/OTHER_FR/', {
  token: service.operatorToken,
  body: { status: 'Ongoing' },
});
const token = await service.supplierToken(['SUPPLIER_FR', 'OTHER_FR']);

const post = (path: string, body: object) =>
  service.call('POST', `/v1/data-import/account-import-process/${path}/`, { token, body });
const stage = (body: object) => post('create-or-update', body);
const create = (supplier: string, external: string) =>
  post('process', {
    external_account_number: external,
    import_supplier_code: supplier,
    operations_team_name: 'Migration',
  });
const shown = (warnings: { code: string; attr: string }[]) => warnings.map(({ code, attr }) => `${code} ${attr}`);
const accountOf = (supplier: string, external: string, sequence: number) =>
  domesticAccount({ import_supplier: supplier, external_account_number: external }, sequence);

test('reports dropped members once for all items of a list, with the name that may be meant', async () => {
  const account: Record<string, any> = accountOf('SUPPLIER_FR', 'DROPPED', 1);
  account['billingPostCode'] = '75001';
  account['zzzzzz'] = { anything: [1] };
  account['_errors'] = [{ code: 'required' }];
  account['metadata'] = [{ key: 'free', value: { whatever: 1 } }];
  for (const { supply_points: points } of account['supply_addresses']) for (const point of points) point.tarif = 'X';
  const points = account['supply_addresses'].flatMap((address: any) => address.supply_points).length;
  expect(points).toBeGreaterThan(1);
  const staged = await stage(account);
  expect(staged.status).toBe(201);
  expect(shown(staged.body.warnings)).toEqual([
    'unknown_member supply_addresses.0.supply_points.0.tarif',
    'unknown_member billingPostCode',
    'unknown_member zzzzzz',
  ]);
  const [ofPoints, misspelt, unknown] = staged.body.warnings;
  expect(ofPoints.detail).toContain(`occurs ${points} times`);
  expect(misspelt.detail).toContain('"billing_postcode"');
  expect(unknown.detail).not.toContain('meant');
  const again = await stage(account);
  expect(again.status).toBe(200);
  expect(again.body.warnings).toEqual(staged.body.warnings);
});

test('warns of references to missing records until they exist', async () => {
  const account = businessAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'NO-CONTRACT' }, 11);
  account.business = { ...account.business, business_contract_identifier: 'FRAME-11' };
  const other = accountOf('SUPPLIER_FR', 'NO-INSTRUCTION', 12);
  other.payment_preferences = [
    {
      type: 'ACTIVE_EXISTING',
      supply_point_identifier: meterPointNumber(2, 12),
      instruction_reference_params: { vendor_name: 'SLIMPAY', vendor_reference: 'RUM-NOWHERE' },
    },
  ];
  other.last_billed_to_date = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10);
  expect(shown((await stage(account)).body.warnings)).toEqual([
    'business_contract_not_yet_known business.business_contract_identifier',
  ]);
  const business = await service.call('POST', '/v1/data-import/business/', { token, body: businessRequest({}, 11) });
  expect(business).toMatchObject({ status: 201 });
  expect((await stage(account)).body).not.toHaveProperty('warnings');
  const reported = [
    'payment_preference_unresolved payment_preferences.0.instruction_reference_params',
    'billed_date_in_future last_billed_to_date',
  ];
  expect(shown((await stage(other)).body.warnings)).toEqual(reported);
  const created = await create('SUPPLIER_FR', 'NO-INSTRUCTION');
  expect(created.status).toBe(201);
  expect(shown(created.body.warnings)).toEqual(reported);
});

test('warns of a point and a mandate on another account at staging and at creation, without naming other suppliers', async () => {
  const account = (supplier: string, external: string, sequence: number) => {
    const made = accountOf(supplier, external, sequence);
    delete made.payment_preferences;
    made.supply_addresses?.[0]?.supply_points.splice(1, 99, supplyPoint('GAS', 20));
    return made;
  };
  const point = 'supply_point_on_another_account supply_addresses.0.supply_points.1.identifier';
  const mandate =
    'payment_instruction_on_another_account supply_addresses.0.supply_points.1.payment_instructions.0.reference';
  expect((await stage(account('OTHER_FR', 'THEIRS', 21))).body).not.toHaveProperty('warnings');
  expect((await create('OTHER_FR', 'THEIRS')).body).toEqual({ service_account_number: expect.any(String) });
  const first = await stage(account('SUPPLIER_FR', 'FIRST', 22));
  expect(shown(first.body.warnings)).toEqual([point]);
  expect(JSON.stringify(first.body)).not.toMatch(/THEIRS|OTHER_FR/);
  const created = await create('SUPPLIER_FR', 'FIRST');
  expect(shown(created.body.warnings)).toEqual([point]);
  const second = await stage(account('SUPPLIER_FR', 'SECOND', 23));
  expect(shown(second.body.warnings).toSorted()).toEqual([mandate, point]);
  for (const { detail } of second.body.warnings) expect(detail).toMatch(/SUPPLIER_FR\/FIRST\./);
});

test('warns each of many concurrently staged accounts of its own issues', async () => {
  const accounts = Array.from({ length: 12 }, (_one, index) => {
    const made = accountOf('SUPPLIER_FR', `AT-ONCE-${index}`, 40 + index);
    delete made.payment_preferences;
    return made;
  });
  // On the account FIRST since the test above.
  const taken = supplyPoint('GAS', 20);
  accounts[7]!.supply_addresses![0]!.supply_points.push(taken);
  accounts[9]!.supply_addresses![0]!.supply_points.push({
    ...supplyPoint('GAS', 60),
    payment_instructions: taken.payment_instructions,
  });
  const answers = await Promise.all(accounts.map((account) => stage(account)));
  const codes = answers.map(({ body }) => (body.warnings ?? []).map(({ code }: { code: string }) => code).toSorted());
  const expected: string[][] = accounts.map(() => []);
  expected[7] = ['payment_instruction_on_another_account', 'supply_point_on_another_account'];
  expected[9] = ['payment_instruction_on_another_account'];
  expect(codes).toEqual(expected);
});

test('warns of a whole page, each account of its own issues, before and after creation', async () => {
  const accounts = [accountOf('SUPPLIER_FR', 'PAGE-1', 31), accountOf('SUPPLIER_FR', 'PAGE-2', 32)];
  const [one, two] = accounts as [(typeof accounts)[0], (typeof accounts)[0]];
  for (const account of accounts) delete account.payment_preferences;
  two.supply_addresses![0]!.supply_points = [supplyPoint('GAS', 33), ...one.supply_addresses![0]!.supply_points];
  expect(await findStagingWarnings(service.database, accounts)).toEqual([[], []]);
  await stage(one);
  expect((await create('SUPPLIER_FR', 'PAGE-1')).status).toBe(201);
  const [ofOne, ofTwo] = await findStagingWarnings(service.database, accounts);
  expect(ofOne).toEqual([]);
  expect(shown(ofTwo!)).toContain('supply_point_on_another_account supply_addresses.0.supply_points.1.identifier');
  for (const { attr } of ofTwo!) expect(attr).not.toContain('supply_points.0.');
});
