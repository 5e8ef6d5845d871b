import { afterAll, expect, test } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCsv } from '../../src/cli/csv-lines.ts';
import { balancesIn, compareBalances } from '../../src/cli/ledger.ts';
import { certificateOf } from '../../src/reconciliation/certificate.rules.ts';
import { openCertificateKeys } from '../../src/reconciliation/certificate-key.client.ts';
import { emptyTally, hashSum } from '../../src/reconciliation/tally.rules.ts';
import { runSupplierCommandHere } from '../support/command-here.ts';

const folder = mkdtempSync(join(tmpdir(), 'gangway-ledger-'));
afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, content: string) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const HEADER = 'external_account_number;balance\n';
const read = (text: string) => Object.fromEntries(balancesIn(text, 'ledger.csv'));

test.each([
  ['semicolons', `\ufeff${HEADER}A-1;-12.5\r\nA-2;0\r\n`, { 'A-1': '-12.50', 'A-2': '0.00' }],
  ['commas, quotes and other columns', 'x,Balance,external_account_number\n"a,""b""\nc",7,"A,1"\n', { 'A,1': '7.00' }],
  ['blank lines and old line ends', `${HEADER.trim()}\rA;1.10\r\r`, { A: '1.10' }],
  ['a guard against formulas, and more digits', `${HEADER}"'-A";"+1.005"\n`, { '-A': '1.005' }],
  ['a negative zero', `${HEADER}A;-0.00\n`, { A: '0.00' }],
  ['lines of JSON', '{"external_account_number":"A","balance":"-1.00"}\n\n', { A: '-1.00' }],
])('reads a ledger with %s', (_case, text, expected) => {
  expect(read(text)).toEqual(expected);
});

test.each([
  ['', 'ledger.csv is empty'],
  ['number;balance\nA;1\n', 'line 1 has no column external_account_number. The first line must name the columns'],
  [`${HEADER}A;1\nB;12,50\n`, 'line 3 has the balance "12,50". Write a decimal with a point'],
  [`${HEADER}\n;1\n`, 'line 3 has no external_account_number'],
  [`${HEADER}A;1\nB;1\nA;2\n`, 'line 4 repeats the account A of line 2'],
  [`${HEADER}"A\nB";1\n"C;2\n`, 'line 4 has a quote that is not closed'],
  [`${HEADER}"A"x;1\n`, 'line 2 has text after a closing quote'],
  ['{"external_account_number":"A"}\n{', 'line 1 has the balance ""'],
  ['{"external_account_number":"A","balance":"1"}\n{', 'line 2 is not valid JSON'],
])('names the line of %j that cannot be read', (text, message) => {
  expect(() => read(text)).toThrow(message);
});

test('reads cells with separators, quotes and line ends, and counts lines', () => {
  expect([...readCsv('a;b\n"1;\r\n2";"say ""x"""\n\n3;', 'x')]).toEqual([
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: ['1;\r\n2', 'say "x"'] },
    { line: 5, cells: ['3', ''] },
  ]);
});

test('lists missing, extra and different balances', () => {
  const ledger = balancesIn(`${HEADER}A;1\nB;2.00\nC;-3.01`, 'x');
  const received = balancesIn(`${HEADER}C;-3.02\nD;0.00\nA;1.00`, 'x');
  expect(compareBalances(ledger, received)).toEqual([
    { external_account_number: 'B', expected: '2.00', received: null, difference: '-2.00' },
    { external_account_number: 'C', expected: '-3.01', received: '-3.02', difference: '-0.01' },
    { external_account_number: 'D', expected: null, received: '0.00', difference: '0.00' },
  ]);
});

test('verifies the balances of a certificate, and names the accounts that differ', async () => {
  const pair = generateKeyPairSync('ed25519');
  const key = await openCertificateKeys(pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  const keys = write('keys.json', JSON.stringify({ keys: key.publicKeys }));
  const digest = hashSum();
  for (const [number, balance] of [
    ['A', '1.00'],
    ['B', '-2.50'],
  ]) {
    digest.addHashOf(`${number}\nbalance\t${balance}\n`);
  }
  const both = (value: string): [string, string] => [value, value];
  const balances = { accounts: 2, sum: both('-1.5'), digest: both(digest.toString()) };
  const content = certificateOf({
    id: '019ac3f2-9a41-7f0e-8c1d-5b7d9e1f3a5c',
    importSupplier: 'ACME',
    importJobId: null,
    tally: { ...emptyTally(), balances },
    manifests: null,
    version: '0.1.0',
    createdAt: new Date('2026-11-22T14:00:00Z'),
    endedAt: new Date('2026-11-22T14:00:10Z'),
  } as never);
  const certificate = write('certificate.json', JSON.stringify({ certificate: content, jws: await key.sign(content) }));
  const verify = async (...args: string[]) => {
    const { status, stdout, stderr } = await runSupplierCommandHere(
      ['verify-certificate', certificate, '--key', keys, ...args],
      {},
    );
    return [status, stdout + stderr] as const;
  };
  const listed = write('balances.csv', `${HEADER}A;1.00\nB;-2.50\n`);
  const right = await verify('--balances', write('ledger.csv', `${HEADER}B;-2.5\nA;1\n`));
  expect(right).toEqual([0, expect.stringContaining('All 2 balances agree with the ledger.')]);
  const wrong = write('ledger.csv', `${HEADER}A;1.01\nC;-2.51\n`);
  expect(await verify('--balances', wrong)).toEqual([1, expect.stringMatching(/--received-balances names those/)]);
  const [status, said] = await verify('--balances', wrong, '--received-balances', listed);
  expect(status).toBe(1);
  expect(said).toContain('ledger 2 accounts, -1.50 in total; certificate 2 accounts, accepted -1.50, stored -1.50');
  expect(said).toContain('  A: expected 1.01, received 1.00, difference -0.01');
  expect(said).toContain('  C: missing, expected -2.51');
  expect(said).toContain('  B: extra, received -2.50');
  const changed = write('balances.csv', `${HEADER}A;1.01\nC;-2.51\n`);
  expect((await verify('--balances', wrong, '--received-balances', changed))[1]).toContain('are not those of the cert');
  expect(await verify('--received-balances', listed)).toEqual([2, expect.stringContaining('needs --balances')]);
});
