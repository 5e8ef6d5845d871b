import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../../support/account-payload.ts';
import { startService } from '../../support/harness.ts';

const service = await startService();
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

type Payload = ReturnType<typeof domesticAccount>;

async function stage(external: string, change: (payload: Payload) => void = () => {}): Promise<void> {
  const payload = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: external });
  change(payload);
  const path = '/v1/data-import/account-import-process/create-or-update/';
  const { status } = await service.call('POST', path, { token, body: payload });
  expect([200, 201]).toContain(status);
}

const get = (external: string, revision: number | string) =>
  service.call('GET', `/v1/operations/accounts/SUPPLIER_FR/${external}/revisions/${revision}/`, {
    token: service.operatorToken,
  });

test("shows a revision's content and its differences from the one before", async () => {
  await stage('REV-1');
  await stage('REV-1', (payload) => {
    payload.sales_channel = 'MOVE_IN';
    payload.metadata = [];
    payload.customers!.unshift({ ...payload.customers![0]!, family_name: 'Avant' });
  });
  await stage('REV-1', (payload) => {
    payload.sales_channel = 'MOVE_IN';
    payload.metadata = [];
    payload.customers!.unshift({ ...payload.customers![0]!, family_name: 'Avant' });
  });
  const original = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'REV-1' });

  const first = (await get('REV-1', 1)).body;
  expect(first).toMatchObject({
    revision: 1,
    content: 'first',
    changes: null,
    payload: { sales_channel: original.sales_channel },
  });
  const second = (await get('REV-1', 2)).body;
  expect(second).toMatchObject({ content: 'other', all_changes: true, payload: { sales_channel: 'MOVE_IN' } });
  expect(second.changes).toEqual([
    { path: ['customers', '0'], before: null, after: { ...original.customers![0], family_name: 'Avant' } },
    ...original.metadata!.map((value: unknown, place: number) => ({
      path: ['metadata', String(place)],
      before: value,
      after: null,
    })),
    { path: ['sales_channel'], before: original.sales_channel, after: 'MOVE_IN' },
  ]);
  expect((await get('REV-1', 3)).body).toMatchObject({ content: 'same', changes: [], payload: second.payload });
});

test('audits each read, and answers 404 for a missing revision', async () => {
  await stage('REV-2');
  expect((await get('REV-2', 1)).status).toBe(200);
  for (const revision of [0, 2, 'x', '9999999999']) {
    expect({ revision, status: (await get('REV-2', revision)).status }).toEqual({ revision, status: 404 });
  }
  expect((await get('NOWHERE', 1)).status).toBe(404);
  const path = '/v1/operations/audit/?subject=accounts/SUPPLIER_FR/REV-2';
  const { body: audit } = await service.call('GET', path, { token: service.operatorToken });
  expect(audit).toMatchObject([{ action: 'account.read' }]);
});

test('deletes a revision after ten later ones, and cuts a long list of changes', async () => {
  for (let revision = 1; revision <= 12; revision += 1) {
    await stage('REV-3', (payload) => {
      payload.sales_subchannel = `try ${revision}`;
    });
  }
  expect((await get('REV-3', 1)).body).toMatchObject({ payload: null, changes: null });
  expect((await get('REV-3', 2)).body).toMatchObject({ payload: { sales_subchannel: 'try 2' }, changes: null });
  expect((await get('REV-3', 12)).body.changes).toEqual([
    { path: ['sales_subchannel'], before: 'try 11', after: 'try 12' },
  ]);
  const many = (of: string) => (payload: Payload) => {
    payload.metadata = Array.from({ length: 300 }, (_, index) => ({ key: `k${index}`, value: { of } }));
  };
  await stage('REV-3', many('one'));
  await stage('REV-3', many('other'));
  const { changes, all_changes: all } = (await get('REV-3', 14)).body;
  expect(changes).toHaveLength(200);
  expect(changes[7]).toEqual({ path: ['metadata', '7', 'value', 'of'], before: 'one', after: 'other' });
  expect(all).toBe(false);
});
