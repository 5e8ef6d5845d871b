import { afterAll, expect, test } from '@jest/globals';
import { countStuck } from '../../../src/stuck/index.ts';
import { domesticAccount } from '../../support/account-payload.ts';
import { startService } from '../../support/harness.ts';
import { until } from '../../support/until.ts';

const service = await startService({ worker: true, settings: { CREATION_TIMEOUT_MS: '1000' } });
afterAll(() => service.stop());

const list = (query = '') => service.call('GET', `/v1/operations/stuck/${query}`, { token: service.operatorToken });

test('stores why a run fails at its work item, and removes it when the run succeeds', async () => {
  const { pool } = service.database;
  const token = await service.supplierToken(['SUPPLIER_FR']);
  const send = (path: string, body: unknown) =>
    service.call('POST', `/v1/data-import/account-import-process/${path}/`, { token, body });
  await pool.query(`alter table account add constraint of_test check (external_account_number <> 'CAUSE-1')`);
  await send(
    'create-or-update',
    domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'CAUSE-1' }, 1),
  );
  await send('process', {
    external_account_number: 'CAUSE-1',
    import_supplier_code: 'SUPPLIER_FR',
    operations_team_name: 'Migration',
  });
  await until(async () => (await countStuck(service.database)).length === 1);
  expect(await countStuck(service.database)).toEqual([
    { cause: 'database_refuses_data', party: 'operator', count: 1, oldest: expect.any(Date) },
  ]);
  await until(async () => (await list()).body.stuck[0]?.attempt > 0);
  expect((await list()).body).toMatchObject({
    total: 1,
    counted_all: true,
    counts: [{ cause: 'database_refuses_data', count: 1 }],
  });
  await pool.query('alter table account drop constraint of_test');
  await service.call('POST', `/v1/operations/stuck/${(await list()).body.stuck[0].id}/retry/`, {
    token: service.operatorToken,
  });
  await until(async () => (await countStuck(service.database)).length === 0);
});

test('counts more rows than are listed exactly', async () => {
  const { pool } = service.database;
  await pool.query(
    `insert into work_item (workflow_id, kind, input, start_at, cause, party, failure, failing_since)
     select 'verify-payment-instruction/' || n, 'verify-payment-instruction', '{"importSupplier": "S", "externalAccountNumber": "N"}', now() + interval '1 hour', 'vendor_unavailable', 'SLIMPAY', 'SLIMPAY did not answer.', now() - interval '1 hour'
     from generate_series(1, 10100) n`,
  );
  await until(async () => (await list()).body.total === 10_100);
  const { body } = await list('?cause=vendor_unavailable');
  expect(body).toMatchObject({ total: 10_100, counted_all: true, counts: [{ count: 10_100 }] });
  expect(body.stuck).toHaveLength(100);
  expect(await countStuck(service.database)).toMatchObject([
    { cause: 'vendor_unavailable', party: 'SLIMPAY', count: 10_100 },
  ]);
  await pool.query('delete from work_item');
});
