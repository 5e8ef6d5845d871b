import { afterAll, expect, test } from '@jest/globals';
import { workflowIds } from '../../../temporal.config.ts';
import { businessAccount, businessContract, domesticAccount, meterPointNumber } from '../../support/account-payload.ts';
import { startService } from '../../support/harness.ts';
import { until } from '../../support/until.ts';

const service = await startService({ worker: true });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

const get = (external: string) =>
  service.call('GET', `/v1/operations/accounts/SUPPLIER_FR/${external}/`, { token: service.operatorToken });
const stage = (body: unknown) =>
  service.call('POST', '/v1/data-import/account-import-process/create-or-update/', { token, body });
const create = (external: string) =>
  service.call('POST', '/v1/data-import/account-import-process/process/', {
    token,
    body: { external_account_number: external, import_supplier_code: 'SUPPLIER_FR', operations_team_name: 'Migration' },
  });

test('shows a staged account with its number of revisions and its skip mark, and audits each read', async () => {
  const payload = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'VIEW-1' });
  await stage(payload);
  await stage({ ...payload, sales_channel: 'MOVE_IN' });
  await service.call('PUT', '/v1/operations/account-import-processes/SUPPLIER_FR/VIEW-1/skip/', {
    token: service.operatorToken,
    body: { reason: 'check first' },
  });
  const answer = await get('VIEW-1');
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toContain('application/json');
  expect(answer.body).toMatchObject({
    import_supplier: 'SUPPLIER_FR',
    external_account_number: 'VIEW-1',
    workflow_ids: [],
    account: null,
    import_process: {
      revision: 2,
      imported_at: null,
      skipped_at: expect.any(String),
      skip_reason: 'check first',
      refusal: null,
      payload: { sales_channel: 'MOVE_IN' },
      revisions: [{ revision: 1, payload_hash: expect.stringMatching(/^[0-9a-f]{64}$/) }, { revision: 2 }],
    },
  });
  await get('VIEW-1');
  const audit = await service.call('GET', '/v1/operations/audit/?subject=accounts/SUPPLIER_FR/VIEW-1', {
    token: service.operatorToken,
  });
  expect(audit.body).toMatchObject([
    { action: 'account.read', before: null, after: null, actor: { key_id: expect.any(String) } },
    { action: 'account.read' },
  ]);
});

const existingPreference = (point: string, reference: string) => ({
  type: 'ACTIVE_EXISTING' as const,
  supply_point_identifier: point,
  instruction_reference_params: { vendor_name: 'SEPA_HOUSE', vendor_reference: reference },
});

test('shows a created account with all child records, grouped as sent', async () => {
  const payload = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'VIEW-2' }, 2);
  payload.payment_preferences = [
    existingPreference(meterPointNumber(2, 2), 'RUM-ELSEWHERE'),
    existingPreference(meterPointNumber(3, 2), `RUM-${meterPointNumber(2, 2)}`),
  ];
  await stage(payload);
  const { service_account_number: number } = (await create('VIEW-2')).body;
  const { account, import_process: process } = (await get('VIEW-2')).body;
  expect(process.imported_at).toEqual(expect.stringMatching(/Z$/));
  expect(account).toMatchObject({
    service_account_number: number,
    operations_team: 'Migration',
    account_type: 'DOMESTIC',
    switch_status: 'PENDING',
    unknown_occupier: false,
  });
  expect(account.customers).toHaveLength(payload.customers!.length);
  expect(account.customers[0]).toMatchObject({
    family_name: payload.customers![0]!.family_name,
    mobile_e164: expect.stringMatching(/^\+/),
  });
  const [electricity, gas] = account.supply_addresses[0].supply_points;
  expect(electricity).toMatchObject({
    identifier: meterPointNumber(2, 2),
    supply_type: 'ELECTRICITY',
    supply_start_date: '2022-10-01',
    consent_data: { ELEC_CURVES: false },
    agreements: [
      {
        tariff_code: 'BOREAL-POWER-FIXED-22',
        agreed_at: '2022-09-12T16:20:05.000Z',
        addons: [{ band: 'WINTER_PEAK' }, { band: 'METER_RENTAL' }],
      },
      { addons: [] },
    ],
    payment_schedules: [{ amount: 61.25, means: 'DD' }, { amount: 72.4 }],
    payment_instructions: [{ vendor: 'SEPA_HOUSE', reference: `RUM-${meterPointNumber(2, 2)}` }],
    payment_preferences: [{ type: 'ACTIVE_EXISTING', unresolved: true }],
  });
  expect(gas.payment_preferences).toMatchObject([{ type: 'ACTIVE_EXISTING', unresolved: false }]);
  expect(account.statements.map(({ statement_id: id }: any) => id)).toEqual(
    payload.statements!.map(({ statement_id: id }) => id),
  );
  expect(account.ledgers).toMatchObject([
    { ledger_code: 'CHEQUE_ENERGIE', energy_cheques: [{ amount: 19_400, source: 'PAPERLESS' }] },
  ]);
  expect(account.notes).toMatchObject([
    {
      body: expect.any(String),
      created_at: '2024-08-14T07:41:00.000Z',
      documents: [{ document_path: 'letters/2.pdf' }],
    },
    { body: null },
  ]);
  expect(account.campaigns).toEqual([{ slug: 'solar-roofs', campaign_note: 'interested in panels' }]);
  expect(account.metadata).toEqual(payload.metadata);
  expect(account.other_payment_instructions).toEqual([]);
  expect(JSON.stringify(account)).not.toMatch(/"(?:account_id|position|point_position|fingerprint)"/);
});

test('keeps every digit of numbers', async () => {
  const written = '{"exact":12345678901234567890.50,"text":"}{\\"]","list":[1.0,{}]}';
  const payload = JSON.stringify(
    domesticAccount(
      { import_supplier: 'SUPPLIER_FR', external_account_number: 'VIEW-6', metadata: [{ key: 'digits', value: {} }] },
      6,
    ),
  );
  await stage(payload.replace('"value":{}', () => `"value":${written}`));
  expect((await create('VIEW-6')).status).toBe(201);
  const answer = await fetch(`${service.url}/v1/operations/accounts/SUPPLIER_FR/VIEW-6/`, {
    headers: { authorization: `Token ${service.operatorToken}` },
  });
  const text = await answer.text();
  // Once as it was staged and once as it is stored.
  expect(text.match(/"exact": ?12345678901234567890\.50\b/g)).toHaveLength(2);
  expect(JSON.parse(text).account.metadata).toEqual([{ key: 'digits', value: JSON.parse(written) }]);
});

test('names the run of a switch until the switch ends', async () => {
  await stage(domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'VIEW-4' }, 4));
  const { service_account_number: number } = (await create('VIEW-4')).body;
  expect((await get('VIEW-4')).body.workflow_ids).toEqual([workflowIds.switchSupplier(number)]);
  const settled = { status: 'COMPLETED', reason: 'told by phone' };
  await service.call('PUT', '/v1/operations/account-import-processes/SUPPLIER_FR/VIEW-4/switch-status/', {
    token: service.operatorToken,
    body: settled,
  });
  await until(async () => (await get('VIEW-4')).body.workflow_ids.length === 0);
});

test('shows the details and contracts of a business account', async () => {
  const payload = businessAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'VIEW-3' }, 3);
  delete (payload.business as { business_contract_identifier?: string }).business_contract_identifier;
  expect((await stage(payload)).status).toBe(201);
  expect((await create('VIEW-3')).status).toBe(201);
  const { account } = (await get('VIEW-3')).body;
  expect(account).toMatchObject({ account_type: 'BUSINESS', business_type: 'EURL', siret: payload.business!.siret });
  expect(account.business_details).toEqual(payload.business!.details);
  expect(account.account_contracts).toHaveLength(1);
  const contract = businessContract('SITE-3');
  expect(
    account.account_contracts[0].versions.flatMap(({ terms }: any) =>
      terms.map(({ content }: any) => content.term_type),
    ),
  ).toEqual(contract.versions.flatMap(({ terms }) => terms.map((term) => term.term_type)));
});
