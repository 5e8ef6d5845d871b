import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../support/account-payload.ts';
import { faultsOf } from '../support/attachments.ts';
import { businessRequest } from '../support/business-payload.ts';
import { startService, type Answer } from '../support/harness.ts';

const service = await startService({ worker: true });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

const post = (path: string, body: object) => service.call('POST', `/v1/data-import/${path}/`, { token, body });
const set = (body: object) =>
  service.call('PUT', '/v1/operations/import-suppliers/SUPPLIER_FR/', { token: service.operatorToken, body });
const open = (sets: unknown, reason = 'new product') => set({ options: { open_value_sets: sets }, reason });
const warned = ({ body }: Answer) => body.warnings?.map(({ code, attr }: any) => `${code} ${attr}`);
const staged = () => post('account-import-process/create-or-update', account());
function account(): any {
  const made: any = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'OPEN-1' });
  Object.assign(made.supply_addresses[0].supply_points[0].payment_schedules[0], {
    frequency: 'BIMONTHLY',
    means: 'SEPA',
  });
  return made;
}
const SCHEDULE = 'supply_addresses.0.supply_points.0.payment_schedules.0';

test('requires a known set and a reason to open a set', async () => {
  expect(faultsOf(await set({ options: { open_value_sets: ['frequency'] } }))).toEqual(['required reason']);
  expect(faultsOf(await open(['colour']))).toEqual(['invalid options.open_value_sets']);
  expect(faultsOf(await open('frequency'))).toEqual(['invalid options.open_value_sets']);
});

test.each([
  ['account_type', 'which rules apply'],
  ['transaction_type', 'balance'],
  ['vendor', 'no connection'],
  ['type', 'a mandate or a card'],
])('explains why the set %s cannot be opened', async (name, reason) => {
  const answer = await open([name]);
  expect(answer.body.errors).toMatchObject([{ code: 'invalid', detail: expect.stringContaining(reason) }]);
});

test('rejects unknown values until the set is open, and then stores, marks and creates them', async () => {
  await open(null);
  expect(faultsOf(await post('validate-account', account())).toSorted()).toEqual([
    `invalid_choice ${SCHEDULE}.frequency`,
    `invalid_choice ${SCHEDULE}.means`,
  ]);
  await open(['frequency', 'means']);
  const answer = await staged();
  expect(answer.status).toBe(201);
  expect(warned(answer)?.toSorted()).toEqual([
    `unknown_value ${SCHEDULE}.frequency`,
    `unknown_value ${SCHEDULE}.means`,
  ]);
  const request = {
    external_account_number: 'OPEN-1',
    import_supplier_code: 'SUPPLIER_FR',
    operations_team_name: 'Migration',
  };
  const rehearsed = await post('account-import-process/process', { ...request, dry_run: true });
  expect([rehearsed.body.code, warned(rehearsed)?.length]).toEqual(['dry_run_succeeded', 2]);
  const created = await post('account-import-process/process', request);
  expect(created.status).toBe(201);
  const { rows } = await service.database.pool.query(
    'select frequency, means from payment_schedule where frequency = $1',
    ['BIMONTHLY'],
  );
  expect(rows).toEqual([{ frequency: 'BIMONTHLY', means: 'SEPA' }]);
  const unknown = [`unknown_value ${SCHEDULE}.frequency`, `unknown_value ${SCHEDULE}.means`];
  expect(warned(created)).toEqual(unknown);
  const view = await service.call('GET', '/v1/operations/accounts/SUPPLIER_FR/OPEN-1/', {
    token: service.operatorToken,
  });
  expect(warned(view)).toEqual(unknown);
});

test('rejects an empty or too long value even if the set is open', async () => {
  await open(['frequency', 'means']);
  const sent = account();
  Object.assign(sent.supply_addresses[0].supply_points[0].payment_schedules[0], {
    frequency: 'x'.repeat(129),
    means: '',
  });
  expect(faultsOf(await post('validate-account', sent)).toSorted()).toEqual([
    `blank ${SCHEDULE}.means`,
    `invalid_choice ${SCHEDULE}.frequency`,
  ]);
});

test('keeps a term of an unknown type completely', async () => {
  await open(null);
  const sent: any = businessRequest();
  const term = { term_type: 'LOYALTY_BONUS', bonus: { after_months: 12, amounts: [1.5, '2.50'] } };
  sent.business.business_contracts[0].versions[0].terms.push(term);
  const place = `business.business_contracts.0.versions.0.terms.${sent.business.business_contracts[0].versions[0].terms.length - 1}.term_type`;
  expect(faultsOf(await post('business', sent))).toEqual([`invalid_choice ${place}`]);
  await open(['term_type']);
  const created = await post('business', sent);
  expect([created.status, warned(created)]).toEqual([201, [`unknown_value ${place}`]]);
  const { rows } = await service.database.pool.query('select content from contract_term where term_type = $1', [
    term.term_type,
  ]);
  expect(rows).toEqual([{ content: term }]);
});

test('keeps an unknown customer category if the set is open for every import supplier of the batch', async () => {
  await open(null);
  const batch = { prm_ids: ['25000000000001'], customer_category: 'Collective' };
  expect(faultsOf(await post('supply-point/populate', batch))).toEqual(['invalid_choice customer_category']);
  await open(['customer_category']);
  const accepted = await post('supply-point/populate', batch);
  expect([accepted.status, warned(accepted)]).toEqual([201, ['unknown_value customer_category']]);
  const status = await service.call('GET', `/v1/data-import/supply-point/populate/${accepted.body.batch_id}/`, {
    token,
  });
  expect(status.body.customer_category).toBe('Collective');
});
