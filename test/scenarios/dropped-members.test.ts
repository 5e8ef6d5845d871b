import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../support/account-payload.ts';
import { addAccounts, attachmentCalls, payment, statement } from '../support/attachments.ts';
import { businessRequest, contractsRequest } from '../support/business-payload.ts';
import { startService, type Answer } from '../support/harness.ts';
import { instructionCalls, startPaymentVendors } from '../support/payment-vendors.ts';
import { POPULATE } from '../support/population.ts';

const vendors = await startPaymentVendors();
const service = await startService({ worker: true, settings: vendors.settings });
const token = await service.supplierToken(['SUPPLIER_FR']);
await addAccounts(service, ['ONE']);
afterAll(async () => {
  await service.stop();
  await vendors?.stop();
});

const post = (path: string, body: object) => service.call('POST', `/v1/data-import/${path}`, { token, body });
const warned = ({ body }: Answer) => body.warnings?.map(({ code, attr }: any) => `${code} ${attr}`);

test('returns the warnings of operation 4 in the results of the notes, as its response is a plain list', async () => {
  const { status, body } = await post('notes/create/', {
    import_supplier: 'SUPPLIER_FR',
    external_account_number: 'ONE',
    importSuplier: 'X',
    notes: [{ body: 'one' }, { body: 'two', isPinned: true }, { body: 'three' }],
  });
  expect(status).toBe(201);
  expect(body.map((result: any) => warned({ body: result } as Answer))).toEqual([
    ['unknown_member importSuplier'],
    ['unknown_member notes.1.isPinned'],
    undefined,
  ]);
  expect(body[1].warnings[0].detail).toContain('Did you mean "is_pinned"?');
});

test('returns the warnings of operations 5 and 6 beside their results', async () => {
  const calls = attachmentCalls(service, token);
  const transactions = await calls.transactions('ONE', [payment('P-1', { Reference_: 'x', display_note: 'y' })]);
  expect(transactions.status).toBe(201);
  expect(warned(transactions)).toEqual([
    'unknown_member transactions.0.Reference_',
    'unknown_member transactions.0.display_note',
  ]);
  const { status, body } = await calls.statements('ONE', [{ ...statement('S-1'), grossAmount: 1 }]);
  expect([status, warned({ body } as Answer)]).toEqual([201, ['unknown_member statements.0.grossAmount']]);
  expect(body.statements).toHaveLength(1);
});

test('returns the warnings of operation 7', async () => {
  const create = instructionCalls(service, token);
  const answer = await create('ONE', 'MD0001', { supplyPointIdentifier: '1' });
  expect(answer.status).toBe(201);
  expect(warned(answer)).toEqual(['unknown_member supplyPointIdentifier']);
});

test('returns the warnings of operations 12, 13 and 14', async () => {
  const sent: any = businessRequest();
  sent.business.companyname = 'X';
  sent.business.business_contracts[0].versions[0].Terms = [];
  for (const time of ['first', 'again']) {
    const business = await post('business/', sent);
    expect([time, business.status, warned(business)]).toEqual([
      time,
      201,
      ['unknown_member business.business_contracts.0.versions.0.Terms', 'unknown_member business.companyname'],
    ]);
  }
  const contracts = await post('business-contracts/create/', { ...contractsRequest(['MORE']), businessContracts: [] });
  expect([contracts.status, warned(contracts)]).toEqual([201, ['unknown_member businessContracts']]);
  const batch = await service.call('POST', POPULATE, {
    token,
    body: { prm_ids: ['25000000000001'], customerCategory: 'Professional' },
  });
  expect([batch.status, warned(batch)]).toEqual([201, ['unknown_member customerCategory']]);
});

test('returns the warnings of staging in operation 1 if the client requests them', async () => {
  const account: any = {
    ...domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'V-1' }),
    salesChanel: 'DIRECT',
  };
  account.last_billed_to_date = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10);
  const { salesChanel: _dropped, ...validated } = account;
  expect((await post('validate-account/', account)).body).toEqual(validated);
  expect((await post('validate-account/?warnings=false', account)).body).toEqual(validated);
  const answer = await post('validate-account/?warnings=true', account);
  expect(answer.status).toBe(200);
  expect(warned(answer)).toEqual(['unknown_member salesChanel', 'billed_date_in_future last_billed_to_date']);
  const { warnings: _warnings, ...rest } = answer.body;
  expect(rest).toEqual(validated);
  expect(await post('validate-account/?warnings=maybe', account)).toMatchObject({
    status: 400,
    body: { errors: [{ code: 'invalid', attr: 'warnings' }] },
  });
});
