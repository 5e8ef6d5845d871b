import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../../support/account-payload.ts';
import { startService } from '../../support/harness.ts';
import { until } from '../../support/until.ts';

const service = await startService({ worker: true, settings: { CREATION_ALONE_STATEMENT_MS: '1000' } });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);
await service.database.pool.query(`
    create function refuse_or_wait() returns trigger language plpgsql as $$ begin
      if new.external_account_number like 'REFUSED%' then
        raise check_violation using message = 'not wanted', table = 'account', constraint = 'account_refused';
      elsif new.external_account_number like 'ENDLESS%' then perform pg_sleep(60);
      end if;
      return new;
    end $$`);
await service.database.pool.query(
  'create trigger refuse_or_wait before insert on account for each row execute function refuse_or_wait()',
);

async function stage(external: string): Promise<void> {
  const body = { ...domesticAccount({ import_supplier: 'SUPPLIER_FR' }), external_account_number: external };
  const { status } = await service.call('POST', '/v1/data-import/account-import-process/create-or-update/', {
    token,
    body,
  });
  expect(status).toBeLessThan(300);
}
const create = (external: string, more: object = {}) =>
  service.call('POST', '/v1/data-import/account-import-process/process/', {
    token,
    body: {
      external_account_number: external,
      import_supplier_code: 'SUPPLIER_FR',
      operations_team_name: 'Migration',
      ...more,
    },
  });
const quarantined = {
  status: 400,
  body: { code: 'account_quarantined', detail: expect.stringContaining('ask the operators to correct the cause') },
};

test('an account that the database rejects is reported as quarantined, for a creation, a resend and a dry run', async () => {
  await stage('REFUSED-1');
  expect(await create('REFUSED-1', { dry_run: true })).toMatchObject(quarantined);
  expect(await create('REFUSED-1')).toMatchObject(quarantined);
  expect(await create('REFUSED-1')).toMatchObject(quarantined);
  expect(await create('REFUSED-1', { dry_run: true })).toMatchObject(quarantined);
  expect((await create('REFUSED-1')).headers['retry-after']).toBeUndefined();
});

test('an account that timed out alone is reported as quarantined without another attempt, until it is staged again', async () => {
  await stage('ENDLESS-1');
  await until(async () => (await create('ENDLESS-1')).body.code === 'account_quarantined');
  const creating = `select count(*)::integer as calls from pg_stat_activity where query like '%into account %' and state = 'active' and datname = current_database() and pid <> pg_backend_pid()`;
  await until(async () => (await service.database.pool.query(creating)).rows[0].calls === 0);
  expect(await create('ENDLESS-1')).toMatchObject(quarantined);
  expect(await create('ENDLESS-1', { dry_run: true })).toMatchObject(quarantined);
  expect((await service.database.pool.query(creating)).rows).toEqual([{ calls: 0 }]);
  await service.database.pool.query('alter table account disable trigger refuse_or_wait');
  await stage('ENDLESS-1');
  await until(async () => (await create('ENDLESS-1')).body.code !== 'account_quarantined');
  expect((await create('ENDLESS-1')).body.code).toBe('account_import_process_already_imported');
});
