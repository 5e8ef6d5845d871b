import { afterAll, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { readLine } from '../../src/import-jobs/read-line.validation.ts';
import { recordOf, runningTotals } from '../../src/manifest/index.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { createLog } from '../../src/platform/log.ts';
import { entities } from '../../src/processes/entities.ts';
import { reconcilePage } from '../../src/reconciliation/reconcile-page.store.ts';
import { findReconciliation, startReconciliation } from '../../src/reconciliation/reconciliation.store.ts';
import { createTransactions } from '../../src/transactions/create-transactions.store.ts';
import type { ImportJobKind } from '../../src/vocabulary/import-jobs.ts';
import { isRefused } from '../../src/vocabulary/refusals.ts';
import { accountVariant } from '../support/account-variants.ts';
import { createAccounts } from '../support/created-accounts.ts';
import { createTestDatabase } from '../support/test-database.ts';

const SUPPLIER = 'SUPPLIER_FR';
const TODAY = '2026-11-01';
const clone = await createTestDatabase();
const log = createLog({ level: 'silent', process: 'test' });
const database = await openDatabase({ url: clone.url, entities, poolSize: 2, log, applicationName: 'test' });
await database.pool.query(
  `insert into import_supplier (code, name, status) values ('${SUPPLIER}', 'Supplier of the tests', 'Ongoing')`,
);
await database.pool.query(`insert into operations_team (name) values ('Migration')`);
afterAll(async () => {
  await database.close();
  await clone.drop();
});

const charge = (id: string, amount: number | string) => ({
  transaction_id: id,
  transaction_date: TODAY,
  amount,
  type: 'CHARGE' as const,
  reason: 'R.1',
});

test('certificates contain the digests and sums that a manifest computes from the sent lines', async () => {
  const odd = { n: [1e-7, 1.5], '10': 'x', '9': { é: null, '😀': '\u001f"\\', '\uffff': [] } };
  const lines = Array.from({ length: 120 }, (_, seed) =>
    JSON.stringify({ ...accountVariant(seed, seed + 1, SUPPLIER), metadata: [{ key: 'k', value: odd }] }).replace(
      '"n":[',
      '"n":[123456789012345678901234567890.1230,1e3,-1.50E-4,100000000000000000000000e-2,-0.0,',
    ),
  );
  const created = new Set(await createAccounts(database, SUPPLIER, lines));
  expect(created.size).toBeGreaterThan(30);
  const sent = runningTotals();
  const add = (kind: ImportJobKind, line: string) => {
    const read = readLine(Buffer.from(line));
    if (isRefused(read)) throw new Error(read.code);
    sent.add(kind, recordOf(kind, read.body));
  };
  for (const line of lines) {
    if (created.has((JSON.parse(line) as { external_account_number: string }).external_account_number)) {
      add('accounts', line);
    }
  }
  const [first, second] = [...created];
  const transactions: [string, ReturnType<typeof charge>[]][] = [
    [first!, [charge('A', 12.5), charge('B.2', '-0.10')]],
    [second!, [charge('A', 1)]],
    [first!, [charge('C', '7.00')]],
  ];
  for (const [external, all] of transactions) {
    const request = { import_supplier: SUPPLIER, external_account_number: external, transactions: all };
    const options = { checkPreviouslyAdded: true, forceAddToCurrentStatement: true };
    const moment = { now: new Date(), today: TODAY, importJobId: null };
    const outcome = await createTransactions(database, request, options, moment);
    expect(outcome.kind).toBe('classified');
    add('transactions', JSON.stringify(request));
  }

  const id = uuidv7();
  const wanted = { id, importSupplier: SUPPLIER, importJobId: null, organisation: id };
  await database.transaction((em) => startReconciliation(em, wanted));
  for (;;) {
    const page = await database.transaction((em) => reconcilePage(em, id, 50));
    if (page === undefined || page === 'locked' || page.keys === 0) break;
  }
  const { tally } = (await findReconciliation(database, id))!;
  expect(tally.differences).toEqual({ changed: 0, missing: 0, extra: 0 });
  const { accounts, transactions: counted } = sent.kinds();
  const digests = [...accounts!.digests!, ...counted!.digests!].map(({ name, digest }) => [name, [digest, digest]]);
  expect(Object.fromEntries(digests)).toEqual(tally.hashes);
  const sums = {
    energy_cheques: Number(accounts!.energy_cheques!.sum),
    payment_schedules: Number(accounts!.payment_schedules!.sum),
    transactions: Number(counted!.by_type!['CHARGE']!.sum),
  };
  const accepted = Object.entries(tally.sums).map(([name, [was, is]]) => [name, [Number(was), Number(is)]]);
  expect(Object.fromEntries(accepted)).toEqual(
    Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, [sum, sum]])),
  );
  expect(counted).toMatchObject({ records: 3, transactions: 4, by_type: { CHARGE: { count: 4, sum: '20.40' } } });
});
