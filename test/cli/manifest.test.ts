import { afterAll, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import type { Manifest } from '../../src/manifest/manifest.schema.ts';
import { recordOf, runningTotals } from '../../src/manifest/index.ts';
import { accountVariant } from '../support/account-variants.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { runCommand } from '../support/command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'gangway-manifest-'));
afterAll(() => rmSync(folder, { recursive: true }));

const linesOf = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');
const write = (name: string, content: string | Buffer) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const manifest = async (...args: string[]) => {
  const { status, stdout, stderr } = await runCommand(['manifest', ...args], {});
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Manifest;
};

const accounts = Array.from({ length: 40 }, (_, seed) => accountVariant(seed, seed, 'ACME'));
const transactions = [
  { external_account_number: 'A', transactions: [{ transaction_id: 'T', type: 'PAYMENT', amount: '1.10' }] },
  { external_account_number: 'A', transactions: [{ transaction_id: 'U', type: 'PAYMENT', amount: 2 }] },
];

test('reads all compressions, kinds and folders alike', async () => {
  mkdirSync(join(folder, 'export'));
  const first = linesOf(accounts.slice(0, 25)).trimEnd();
  const rest = `\ufeff${linesOf(accounts.slice(25))}\n \r\n`;
  const files = [
    write('export/accounts-1.ndjson.gz', gzipSync(first)),
    write('export/accounts-2.ndjson.zst', zstdCompressSync(rest)),
    write('export/transactions.ndjson', linesOf(transactions)),
  ];
  write('export/readme.txt', 'not a record');
  const expected = runningTotals();
  for (const record of accounts) expected.add('accounts', recordOf('accounts', JSON.parse(JSON.stringify(record))));
  for (const record of transactions) expected.add('transactions', recordOf('transactions', record));

  const out = join(folder, 'manifest.json');
  const { status, stdout, stderr } = await runCommand(['manifest', join(folder, 'export'), '--out', out], {});
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain('transactions.ndjson: 2 records');
  const written = JSON.parse(readFileSync(out, 'utf8')) as Manifest;
  expect(written.kinds).toEqual(expected.kinds());
  expect(written.files).toEqual(
    files.map((path, index) => {
      const content = readFileSync(path);
      return {
        name: path.split('/').at(-1),
        kind: index === 2 ? 'transactions' : 'accounts',
        bytes: content.length,
        sha256: createHash('sha256').update(content).digest('hex'),
        records: [25, 15, 2][index],
      };
    }),
  );
  expect((await manifest(...files.toReversed())).kinds).toEqual(written.kinds);
});

test('gives the same totals in several threads as in one', async () => {
  const record = JSON.stringify(domesticAccount({ import_supplier: 'ACME' }, 7_654_321));
  const lines = Array.from({ length: 4_000 }, (_, index) =>
    record.replaceAll('7654321', String(index).padStart(7, '0')),
  );
  const large = write('accounts-large.ndjson', lines.join('\n'));
  const halves = [lines.slice(0, 900), lines.slice(900, 1_800), lines.slice(1_800, 2_700), lines.slice(2_700)];
  const parts = halves.map((half, index) => write(`accounts-part-${index}.ndjson`, half.join('\n')));
  const whole = await manifest(large);
  expect(whole.kinds.accounts).toMatchObject({ records: 4_000, supply_points: { ELECTRICITY: 4_000, GAS: 4_000 } });
  const each = await Promise.all(parts.map((part) => manifest(part)));
  expect(each.reduce((sum, { kinds }) => sum + kinds.accounts!.records!, 0)).toBe(4_000);
  expect((await manifest(...parts)).kinds).toEqual(whole.kinds);
  const { status, stderr } = await runCommand(['manifest', write('accounts-bad.ndjson', `${lines.join('\n')}\n{`)], {});
  expect([status, stderr]).toEqual([1, expect.stringContaining('line 4001 is not a JSON object')]);
});

test('adds the import supplier to lines without one, and names lines that are no record', async () => {
  const { import_supplier: _omitted, ...without } = domesticAccount({ import_supplier: 'ACME' });
  const path = write('accounts-without.ndjson', linesOf([without]));
  const full = await manifest(write('accounts-with.ndjson', linesOf([{ ...without, import_supplier: 'ACME' }])));
  expect((await manifest(path, '--supplier', 'ACME')).kinds).toEqual(full.kinds);
  const rejected = async (...args: string[]) => {
    const { status, stderr } = await runCommand(['manifest', ...args], {});
    return `${status} ${stderr.replaceAll(`${folder}/`, '').trim()}`;
  };
  expect(await rejected(path)).toBe(
    '1 accounts-without.ndjson: line 1 has no import_supplier; name it with --supplier.',
  );
  expect(
    await rejected(write('accounts-text.ndjson', Buffer.from('{}\n\n{"a":"\xff"}\n', 'latin1')), '--supplier', 'A'),
  ).toBe('1 accounts-text.ndjson: line 3 is not valid UTF-8.');
  expect(await rejected(write('export.ndjson', '{}'))).toMatch(/^2 export.ndjson does not begin with the kind/);
  expect(await rejected(write('accounts.ndjson.gz', gzipSync('{}').subarray(0, 15)))).toMatch(
    /^2 .*cannot be read to its end/,
  );
  expect((await manifest(join(folder, 'export.ndjson'), '--kind', 'notes')).kinds).toEqual({
    notes: { records: 1, notes: 0 },
  });
});
