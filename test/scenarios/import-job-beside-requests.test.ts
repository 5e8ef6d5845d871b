import { afterAll, expect, test } from '@jest/globals';
import pMap from 'p-map';
import { domesticAccount } from '../support/account-payload.ts';
import { startService } from '../support/harness.ts';
import { putJob, startJob, untilJob } from '../support/run-import-job.ts';

const service = await startService({ worker: true });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

const ACCOUNTS = 600;
const AT_ONCE = 32;
const PATH = '/v1/data-import/account-import-process/create-or-update/';

/**
 * Both write many accounts in one statement, and wait for uncommitted rows of the other. Each writes in the order of
 * the keys, which avoids deadlocks; otherwise the database would reject one of them, and it would be retried.
 */
test.each([
  ['the opposite order', (accounts: object[]) => accounts.toReversed()],
  ['any order', (accounts: object[]) => accounts.toSorted((one, other) => orderOf(one) - orderOf(other))],
])('stages the same new accounts once for a job and for requests in %s, and answers both', async (order, arrange) => {
  const name = order.split(' ').at(-2);
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) => ({
    ...domesticAccount({ import_supplier: 'SUPPLIER_FR' }, index + 1),
    external_account_number: `BESIDE-${name}-${String(index).padStart(4, '0')}`,
  }));
  const jobId = await putJob(service.database, { goal: 'STAGE', lines: accounts, linesOfPage: 100 });
  await startJob(service.gateway, jobId);
  const answers = await pMap(arrange(accounts), (body) => service.call('POST', PATH, { token, body }), {
    concurrency: AT_ONCE,
  });
  await untilJob(service.database, jobId);
  expect(new Set(answers.map(({ status }) => status)).difference(new Set([200, 201]))).toEqual(new Set());
  const { rows } = await service.database.pool.query(
    `select count(*)::integer as accounts, min(revision) as least, max(revision) as most from import_process where external_account_number like $1`,
    [`BESIDE-${name}-%`],
  );
  expect(rows[0]).toEqual({ accounts: ACCOUNTS, least: 2, most: 2 });
  const counted = await service.call('GET', `/v1/operations/import-jobs/${jobId}/`, { token: service.operatorToken });
  expect(counted.body.counts).toMatchObject({ succeeded: ACCOUNTS, failed: 0 });
});

/** An order that is neither of the two, and the same in each run. */
function orderOf(account: object): number {
  return (
    (Number((account as { external_account_number: string }).external_account_number.slice(-4)) * 7_919) % ACCOUNTS
  );
}
