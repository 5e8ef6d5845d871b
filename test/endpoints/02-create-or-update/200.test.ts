import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../../support/account-payload.ts';
import { startService } from '../../support/harness.ts';

const ours = { import_supplier: 'SUPPLIER_FR' };

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

const stage = (body: unknown) =>
  service.call('POST', '/v1/data-import/account-import-process/create-or-update/', { token, body });

test('replaces the first staging completely, without fields that the second one omits', async () => {
  await stage(domesticAccount(ours, 1));
  const {
    notes: _notes,
    metadata: _metadata,
    ...rest
  } = domesticAccount({ ...ours, billing_address1: 'elsewhere' }, 1);
  const answer = await stage(rest);
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    import_supplier: 'SUPPLIER_FR',
    external_account_number: rest.external_account_number,
  });
  const { rows } = await service.database.pool.query(
    'select payload, revision from import_process where external_account_number = $1',
    [rest.external_account_number],
  );
  expect(rows[0].revision).toBe(2);
  expect(rows[0].payload.billing_address1).toBe('elsewhere');
  expect(rows[0].payload).not.toHaveProperty('notes');
  expect(rows[0].payload).not.toHaveProperty('metadata');
});

test('accepts any number of stagings, and keeps the hash of each revision', async () => {
  const statuses: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    statuses.push((await stage(domesticAccount({ ...ours, billing_address2: `round ${round % 2}` }, 2))).status);
  }
  expect(statuses).toEqual([201, 200, 200, 200, 200]);
  const { rows } = await service.database.pool.query(
    `select r.revision, encode(r.payload_hash, 'hex') as hash from import_process_revision r join import_process p on p.id = r.import_process_id
      where p.external_account_number = 'HOME-00000002' order by 1`,
  );
  expect(rows.map(({ revision }) => revision)).toEqual([1, 2, 3, 4, 5]);
  expect(new Set(rows.map(({ hash }) => hash)).size).toBe(2);
});

test('removes a stored rejection with the next staging', async () => {
  await stage(domesticAccount(ours, 3));
  await service.database.pool.query(
    `update import_process set refusal = '{"code":"x"}' where external_account_number = 'HOME-00000003'`,
  );
  expect((await stage(domesticAccount(ours, 3))).status).toBe(200);
  const { rows } = await service.database.pool.query(
    `select refusal from import_process where external_account_number = 'HOME-00000003'`,
  );
  expect(rows).toEqual([{ refusal: null }]);
});
