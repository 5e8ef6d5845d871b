import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../support/account-payload.ts';
import { runSupplierCommandHere } from '../support/command-here.ts';
import { createAccounts } from '../support/created-accounts.ts';
import { startService } from '../support/harness.ts';

// Proof from the supplier's files to the stored data, by the commands of the supplier.

const SUPPLIER = 'SUPPLIER_FR';
const { privateKey } = generateKeyPairSync('ed25519');
const service = await startService({
  worker: true,
  settings: { RECONCILIATION_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() },
});
const folder = mkdtempSync(join(tmpdir(), 'gangway-reconcile-'));
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await service.stop();
});
const file = (name: string) => join(folder, name);
const write = (name: string, content: string) => {
  writeFileSync(file(name), content);
  return file(name);
};

/** Three accounts, one with a transaction, and the key of their supplier. */
async function createAndAttach() {
  const records = [1, 2, 3].map((n) =>
    domesticAccount({ import_supplier: SUPPLIER, external_account_number: `A-${n}` }, n),
  );
  expect(await createAccounts(service.database, SUPPLIER, records)).toHaveLength(3);
  const transactions = {
    import_supplier: SUPPLIER,
    external_account_number: 'A-2',
    transactions: [
      { transaction_id: 'T', transaction_date: '2024-09-30', amount: '12.50', type: 'CHARGE', reason: 'R' },
    ],
  };
  const token = await service.supplierToken([SUPPLIER]);
  const sent = await service.call('POST', '/v1/data-import/transactions/create/', { token, body: transactions });
  expect(sent).toMatchObject({ status: 201 });
  const made = await service.call('POST', '/v1/operations/api-keys/', {
    token: service.operatorToken,
    body: { organisation: randomUUID(), name: 'cli', role: 'supplier', import_suppliers: [SUPPLIER] },
  });
  const environment = { GANGWAY_URL: service.url, GANGWAY_API_KEY: made.body.api_key as string };
  return { records, transactions, environment };
}

test('proves files and ledger, and names what differs', async () => {
  const { records, transactions, environment } = await createAndAttach();
  const run = async (...args: string[]) => {
    const { status, stdout, stderr } = await runSupplierCommandHere(args, environment);
    return { status, said: stdout + stderr, stdout };
  };

  const started = await run('reconcile', 'start', '--supplier', SUPPLIER, '--watch', '--json');
  const id = JSON.parse(started.stdout).reconciliation_id as string;
  const certificate = file('certificate.json');
  expect(await run('reconcile', 'certificate', id, '--output', certificate)).toMatchObject({ status: 0 });
  const keys = write(
    'keys.json',
    JSON.stringify((await service.call('GET', '/v1/data-import/certificate-keys/')).body),
  );
  const verify = (...args: string[]) => run('verify-certificate', certificate, '--key', keys, ...args);

  const csv = file('balances.csv');
  expect(await run('reconcile', 'balances', id, '--output', csv)).toMatchObject({ status: 0 });
  expect(readFileSync(csv, 'utf8')).toBe(
    '\ufeff"external_account_number";"balance"\r\n"A-1";"0.00"\r\n"A-2";"-12.50"\r\n"A-3";"0.00"\r\n',
  );
  expect(await run('reconcile', 'balances', id, '--ledger', csv)).toMatchObject({
    status: 0,
    stdout: 'All 3 balances agree with the ledger.\n',
  });
  expect(await verify('--balances', csv)).toMatchObject({ status: 0 });
  const ledger = write('ledger.csv', 'external_account_number,balance\nA-1,0\nA-2,-12.51\nA-4,1\n');
  const differing = await run('reconcile', 'balances', id, '--ledger', ledger, '--json');
  expect([differing.status, JSON.parse(differing.stdout)]).toEqual([
    1,
    [
      { external_account_number: 'A-2', expected: '-12.51', received: '-12.50', difference: '0.01' },
      { external_account_number: 'A-4', expected: '1.00', received: null, difference: '-1.00' },
      { external_account_number: 'A-3', expected: null, received: '0.00', difference: '0.00' },
    ],
  ]);

  const changed = records.with(0, { ...records[0]!, billing_postcode: '67000' });
  const lines = (all: readonly object[]) => all.map((one) => `${JSON.stringify(one)}\n`).join('');
  const files = [write('accounts.ndjson', lines(records)), write('transactions.ndjson', lines([transactions]))];
  const list = write('list.ndjson', (await run('reconcile', 'accounts', id)).stdout);
  expect(await verify('--against', ...files, '--accounts', list)).toMatchObject({ status: 0 });
  write('accounts.ndjson', lines(changed));
  const values = write('values.ndjson', (await run('reconcile', 'accounts', id, 'A-1', 'A-2')).stdout);
  const named = await verify('--against', ...files, '--accounts', list, values);
  expect([named.status, named.said]).toEqual([1, expect.stringContaining('  A-1 billing_postcode: changed\n')]);
  expect(named.said).not.toContain('  A-2');
});
