import { afterAll, expect, test } from '@jest/globals';
import { addAccounts, payment } from '../support/attachments.ts';
import { startService } from '../support/harness.ts';
import { until } from '../support/until.ts';

const service = await startService({ temporal: false, settings: { HTTP_POOL_SIZE: '4' } });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);
await addAccounts(service, ['HELD', 'OTHER']);

const pay = (external: string, id: string, headers: Record<string, string> = {}) =>
  service.call('POST', '/v1/data-import/transactions/create/', {
    token,
    headers,
    body: { import_supplier: 'SUPPLIER_FR', external_account_number: external, transactions: [payment(id)] },
  });

/** More requests than there are connections. */
const REQUESTS = 12;

test.each([
  ['without', (): Record<string, string> => ({})],
  ['with', (index: number): Record<string, string> => ({ 'idempotency-key': `turn-${index}` })],
])(
  'leaves connections to requests for other accounts while one account gets many requests, %s a key',
  async (how, headersOf) => {
    const holder = await service.database.pool.connect();
    await holder.query('begin');
    await holder.query(`select from account where external_account_number = 'HELD' for update`);
    const waiting = Promise.all(
      Array.from({ length: REQUESTS }, (_, index) => pay('HELD', `${how}-${index}`, headersOf(index))),
    );
    await until(async () => {
      const { rows } = await service.database.pool.query(
        `select count(*)::integer as waiting from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and application_name = 'gangway-http'`,
      );
      return rows[0].waiting === 2;
    });
    expect(await pay('OTHER', `${how}-other`)).toMatchObject({ status: 201 });
    await holder.query('rollback');
    holder.release();
    expect((await waiting).map(({ status }) => status)).toEqual(Array.from({ length: REQUESTS }, () => 201));
  },
);
