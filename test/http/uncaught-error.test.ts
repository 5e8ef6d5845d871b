import { afterAll, expect, test } from '@jest/globals';
import { addAccounts } from '../support/attachments.ts';
import { startApi } from '../support/api-process.ts';
import { send, startService } from '../support/harness.ts';
import { until } from '../support/until.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);
await addAccounts(service, ['HELD']);

/** Throws outside any handler, like an error in a timer or a callback of a library. */
const THROWS_WHEN_TOLD = `data:text/javascript,process.on('SIGUSR2',()=>{throw new Error('nobody expected this')})`;

test('logs an uncaught error with its cause, and ends the process after requests in progress', async () => {
  const api = await startApi(service, { NODE_OPTIONS: `--import "${THROWS_WHEN_TOLD}"` });
  const holder = await service.database.pool.connect();
  await holder.query('begin');
  await holder.query(`select from account where external_account_number = 'HELD' for update`);
  const inProgress = send(api.url, 'POST', '/v1/data-import/notes/create/', {
    token,
    body: { import_supplier: 'SUPPLIER_FR', external_account_number: 'HELD', notes: [{ body: 'under way' }] },
  });
  await until(async () => {
    const { rowCount } = await service.database.pool.query(
      `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    );
    return rowCount === 1;
  });
  process.kill(api.pid, 'SIGUSR2');
  await until(() => api.log.some((line) => line.includes('unhandled error: the process stops')));
  await holder.query('rollback');
  holder.release();
  expect(await inProgress).toMatchObject({ status: 201 });
  await until(() => api.hasEnded());
  expect(api.log.find((line) => line.includes('unhandled error: the process stops'))).toContain('SIGUSR2');
});
