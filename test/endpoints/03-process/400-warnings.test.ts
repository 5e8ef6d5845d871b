import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount, meterPointNumber, supplyPoint } from '../../support/account-payload.ts';
import { startService } from '../../support/harness.ts';
import { countAllRows } from '../../support/table-counts.ts';

const service = await startService({ worker: true });
afterAll(() => service.stop());
await service.call('PUT', '/v1/operations/import-suppliers/OTHER_FR/', {
  token: service.operatorToken,
  body: { status: 'Ongoing' },
});
const token = await service.supplierToken(['SUPPLIER_FR', 'OTHER_FR']);

const post = (path: string, body: object) =>
  service.call('POST', `/v1/data-import/account-import-process/${path}/`, { token, body });
const stage = async (body: object) => {
  expect((await post('create-or-update', body)).status).toBe(201);
};
const process = (supplier: string, external: string, more: object = {}) =>
  post('process', {
    external_account_number: external,
    import_supplier_code: supplier,
    operations_team_name: 'Migration',
    ...more,
  });
const warningsOf = async (supplier: string, external: string) =>
  (await service.call('GET', `/v1/operations/accounts/${supplier}/${external}/`, { token: service.operatorToken })).body
    .warnings;
const shown = (warnings: { code: string; attr: string }[]) => warnings.map(({ code, attr }) => `${code} ${attr}`);

/** The second point of its address, as places are counted within an address. */
function accountWith(supplier: string, external: string, sequence: number, second: ReturnType<typeof supplyPoint>) {
  const account = domesticAccount({ import_supplier: supplier, external_account_number: external }, sequence);
  delete account.payment_preferences;
  account.supply_addresses?.[0]?.supply_points.splice(1, 99, second);
  return account;
}

test("warns of an unresolved preference in the dry run and in the operators' view, and still creates the account", async () => {
  const account = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'NAMES-NOTHING' }, 301);
  account.payment_preferences = [301].map((sequence) => ({
    type: 'ACTIVE_EXISTING',
    supply_point_identifier: meterPointNumber(2, sequence),
    instruction_reference_params: { vendor_name: 'SLIMPAY', vendor_reference: 'RUM-NOWHERE' },
  }));
  await stage(account);
  const before = await countAllRows(service.database);
  const dry = await process('SUPPLIER_FR', 'NAMES-NOTHING', { dry_run: true });
  expect(dry).toMatchObject({ status: 400, body: { code: 'dry_run_succeeded', errors: [] } });
  expect(dry.body.warnings).toEqual([
    {
      code: 'payment_preference_unresolved',
      attr: 'payment_preferences.0.instruction_reference_params',
      detail: expect.stringContaining('not active'),
    },
  ]);
  expect(await countAllRows(service.database)).toEqual(before);
  expect(await warningsOf('SUPPLIER_FR', 'NAMES-NOTHING')).toEqual([]);
  expect((await process('SUPPLIER_FR', 'NAMES-NOTHING')).status).toBe(201);
  expect(await warningsOf('SUPPLIER_FR', 'NAMES-NOTHING')).toEqual(dry.body.warnings);
});

test('warns of billed-to days in the future with their places', async () => {
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const statement = (id: string, to: string) => ({
    bill_period_from_date: '2024-01-01',
    bill_period_to_date: to,
    statement_id: id,
  });
  const account = domesticAccount(
    { import_supplier: 'SUPPLIER_FR', external_account_number: 'BILLED-AHEAD', last_billed_to_date: inDays(40) },
    305,
  );
  account.statements = [statement('S-1', '2024-02-01'), statement('S-2', inDays(30))];
  delete account.payment_preferences;
  await stage(account);
  const dry = await process('SUPPLIER_FR', 'BILLED-AHEAD', { dry_run: true });
  expect(dry.body.code).toBe('dry_run_succeeded');
  expect(shown(dry.body.warnings)).toEqual([
    'billed_date_in_future last_billed_to_date',
    'billed_date_in_future statements.1.bill_period_to_date',
  ]);
  expect((await process('SUPPLIER_FR', 'BILLED-AHEAD')).status).toBe(201);
  expect(await warningsOf('SUPPLIER_FR', 'BILLED-AHEAD')).toEqual(dry.body.warnings);
});

test('shows a supplier the point and mandate of its own other accounts, and operators those of all accounts', async () => {
  await stage(accountWith('OTHER_FR', 'FOREIGN', 311, supplyPoint('ELECTRICITY', 312)));
  expect((await process('OTHER_FR', 'FOREIGN')).status).toBe(201);
  await stage(accountWith('SUPPLIER_FR', 'FIRST', 313, supplyPoint('ELECTRICITY', 312)));
  const [dry, done] = [await process('SUPPLIER_FR', 'FIRST', { dry_run: true }), await process('SUPPLIER_FR', 'FIRST')];
  expect(done.status).toBe(201);
  expect(shown(dry.body.warnings)).toEqual([
    'supply_point_on_another_account supply_addresses.0.supply_points.1.identifier',
  ]);
  expect(JSON.stringify(dry.body)).not.toMatch(/FOREIGN|OTHER_FR/);
  const reported = await warningsOf('SUPPLIER_FR', 'FIRST');
  expect(shown(reported)).toEqual([
    'supply_point_on_another_account supply_addresses.0.supply_points.1.identifier',
    'payment_instruction_on_another_account supply_addresses.0.supply_points.1.payment_instructions.0.reference',
  ]);
  for (const { detail } of reported) expect(detail).toContain('OTHER_FR/FOREIGN');
  await stage(accountWith('SUPPLIER_FR', 'SECOND', 314, supplyPoint('ELECTRICITY', 312)));
  const again = await process('SUPPLIER_FR', 'SECOND', { dry_run: true });
  expect(shown(again.body.warnings)).toEqual(shown(reported));
  for (const { detail } of again.body.warnings) expect(detail).toMatch(/SUPPLIER_FR\/FIRST\./);
});

test('returns no warnings for an account without issues', async () => {
  await stage(domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'PLAIN' }, 321));
  expect((await process('SUPPLIER_FR', 'PLAIN', { dry_run: true })).body).not.toHaveProperty('warnings');
});
