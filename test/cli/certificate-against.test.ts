import { execFileSync, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { chunkCounter } from '../../src/cli/count-chunk.ts';
import type { ManifestKinds } from '../../src/manifest/manifest.schema.ts';
import { certificateOf } from '../../src/reconciliation/certificate.rules.ts';
import { openCertificateKeys, type CertificateKeys } from '../../src/reconciliation/certificate-key.client.ts';
import { addWords, digitsOf } from '../../src/reconciliation/compare/sha256.rules.ts';
import { emptyTally, type Tally } from '../../src/reconciliation/tally.rules.ts';
import { businessContract } from '../support/account-payload.ts';
import { accountVariant, randomOf } from '../support/account-variants.ts';
import { runSupplierCommandHere } from '../support/command-here.ts';

const SUPPLIER = 'SUPPLIER_FR';
const SECOND_VERIFIER = join(import.meta.dirname, '../../docs/suppliers/verify-certificate.py');
const ACCOUNTS = 60;
const CHANGES = 1_000;

const folder = mkdtempSync(join(tmpdir(), 'gangway-against-'));
let key: CertificateKeys;
let keysFile: string;
beforeAll(async () => {
  const pair = generateKeyPairSync('ed25519');
  key = await openCertificateKeys(pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  keysFile = write('keys.json', JSON.stringify({ keys: key.publicKeys }));
});
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

type Json = Record<string, any>;
const odd = { n: 1.5, '10': 'x', '9': { é: null, '😀': '\u001f"\\', '\uffff': [0.0000001] } };
/** Without contracts that lack a member: the service does not accept them. */
const accounts: Json[] = Array.from({ length: ACCOUNTS }, (_, seed) => ({
  ...accountVariant(seed, seed + 1, SUPPLIER),
  ...(seed % 2 === 0 && { account_contracts: [businessContract(`C-${seed}`)] }),
  ...(seed % 2 === 1 && { account_contracts: [] }),
  metadata: [{ key: 'k', value: odd }],
}));
const ITEM = { start_date: '2024-09-01', end_date: '2024-09-30', number_of_units: '10.50', net_amount: '5.5' };
const transactions: Json[] = accounts.map(({ external_account_number: number }, index) => ({
  external_account_number: number,
  transactions: [
    {
      transaction_id: 'A.1',
      type: 'CHARGE',
      amount: index / 100,
      transaction_date: '2024-10-01',
      reason: 'R',
      note: ' N ',
    },
    {
      transaction_id: 'B',
      type: 'PAYMENT',
      amount: '7.10',
      transaction_date: '2024-10-02',
      reason: 'R',
      reference: 'F',
    },
    {
      ...{
        transaction_id: 'C',
        type: 'SUPPLY_CHARGE',
        amount: '6.60',
        transaction_date: '2024-10-02',
        product_code: 'P',
      },
      line_items: [{ ...ITEM, units: ['4.0', 6] }, ITEM],
      tax_items: [{ amount: '1.10', tax_type: 'VAT', rate: 0.2 }],
    },
  ],
}));

const textOf = (records: readonly Json[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');

function countsOf(accountLines: string, transactionLines: string): ManifestKinds {
  const counter = chunkCounter({ importSupplier: SUPPLIER });
  for (const [lines, kind] of [
    [accountLines, 'accounts'],
    [transactionLines, 'transactions'],
  ] as const) {
    expect(counter.count(Buffer.from(lines), kind).fault).toBeUndefined();
  }
  return counter.kinds();
}

function digestsOf({ accounts: one, transactions: other }: ManifestKinds): Map<string, string> {
  return new Map([...(one?.digests ?? []), ...(other?.digests ?? [])].map(({ name, digest }) => [name, digest]));
}

/** A signed certificate of everything in the files. */
async function certify(kinds: ManifestKinds, more: Partial<Tally> = {}, canonicalization = 1): Promise<string> {
  const both = (value: string): [string, string] => [value, value];
  const sum = Object.values(kinds.transactions?.by_type ?? {}).reduce((total, type) => total + Number(type?.sum), 0);
  const reconciled = certificateOf({
    id: '019ac3f2-9a41-7f0e-8c1d-5b7d9e1f3a5c',
    importSupplier: SUPPLIER,
    importJobId: null,
    organisation: null,
    status: 'COMPLETED',
    subject: 'business',
    position: '',
    tally: {
      ...emptyTally(),
      accounts: kinds.accounts!.records!,
      hashes: Object.fromEntries(Array.from(digestsOf(kinds), ([name, digest]) => [name, both(digest)])),
      sums: {
        energy_cheques: both(kinds.accounts!.energy_cheques!.sum!),
        payment_schedules: both(kinds.accounts!.payment_schedules!.sum!),
        transactions: both(sum.toFixed(2)),
      },
      ...more,
    },
    listed: 0,
    manifests: null,
    version: '0.1.0',
    createdAt: new Date('2026-11-22T14:00:00Z'),
    endedAt: new Date('2026-11-22T14:00:10Z'),
  });
  const content = { ...reconciled, canonicalization };
  return write('certificate.json', JSON.stringify({ certificate: content, jws: await key.sign(content) }));
}

/** Runs `verify-certificate --against`. */
async function verify(certificate: string, files: readonly string[], ...more: string[]) {
  const args = ['verify-certificate', certificate, '--key', keysFile, '--against', ...files, ...more];
  const { status, stdout, stderr } = await runSupplierCommandHere(args, {});
  return { status, said: stdout + stderr };
}

const hasPython = spawnSync('python3', ['-c', 'import cryptography']).status === 0;
if (!hasPython) {
  process.stderr.write(
    'NOT RUN: python3 with the package `cryptography` is not installed, so the second verifier of certificates is not tested.\n',
  );
}

/** Runs the second verifier; undefined without Python. */
function verifyInPython(certificate: string, files: readonly string[]) {
  if (!hasPython) return undefined;
  const { status, stdout, stderr } = spawnSync('python3', [SECOND_VERIFIER, certificate, keysFile, ...files], {
    encoding: 'utf8',
  });
  return { status, said: stdout + stderr };
}

test('both verifiers accept the files of a certificate, and name what a dropped, doubled or changed line changes', async () => {
  const kinds = countsOf(textOf(accounts), textOf(transactions));
  const certificate = await certify(kinds);
  const files = (one: readonly Json[], other: readonly Json[]) => [
    write('accounts.ndjson', textOf(one)),
    write('transactions.ndjson', textOf(other)),
  ];
  const verdicts = async (one: readonly Json[], other: readonly Json[]) => {
    const paths = files(one, other);
    return [await verify(certificate, paths), verifyInPython(certificate, paths)].filter(
      (verdict) => verdict !== undefined,
    );
  };
  for (const { status, said } of await verdicts(accounts, transactions.toReversed())) {
    expect([status, said]).toEqual([0, expect.stringMatching(/agree with the files/)]);
  }
  const cent = transactions.with(3, {
    ...transactions[3],
    transactions: (transactions[3]!['transactions'] as Json[]).with(1, {
      ...transactions[3]!['transactions'][1],
      amount: '7.11',
    }),
  });
  const faulty: [string, Json[], Json[]][] = [
    ['accounts', accounts.slice(1), transactions],
    ['accounts', [...accounts, accounts[0]!], transactions],
    ['transactions\\.\\*\\.reason', accounts, transactions.slice(1)],
    ['transactions\\.\\*\\.reason', accounts, [...transactions, transactions[0]!]],
    ['transactions\\.\\*\\.amount', accounts, cent],
  ];
  for (const [path, one, other] of faulty) {
    for (const { status, said } of await verdicts(one, other)) {
      expect([status, said]).toEqual([1, expect.stringMatching(new RegExp(`^ *${path}: files`, 'm'))]);
    }
  }
  expect((await verify(certificate, files(accounts, cent))).said).toMatch(
    /sum of transactions: files [\d.]+, accepted/,
  );
});

test('both verifiers refuse digests of another version of the notation with both versions', async () => {
  const files = [write('accounts.ndjson', textOf(accounts))];
  const certificate = await certify(countsOf(textOf(accounts), ''), {}, 2);
  for (const verdict of [await verify(certificate, files), verifyInPython(certificate, files)]) {
    if (verdict === undefined) continue;
    expect([verdict.status, verdict.said]).toEqual([
      1,
      expect.stringMatching(/version 2 .*computes version 1\. Use the/),
    ]);
  }
});

test('names accounts and paths of stored values that differ, and accounts that no digest contains', async () => {
  const kinds = countsOf(textOf(accounts), textOf(transactions));
  const files = [write('accounts.ndjson', textOf(accounts)), write('transactions.ndjson', textOf(transactions))];
  const certificate = await certify(kinds, { different: 1, by_hashes: 2 });
  const differences = write(
    'differences.ndjson',
    textOf([
      { key: 'HOME-1', path: 'customers.0.email', kind: 'changed', reason: null },
      { key: 'HOME-2', path: 'notes.0', kind: 'extra', reason: 'note_added' },
    ]),
  );
  const { status, said } = await verify(certificate, files, '--differences', differences);
  expect(status).toBe(1);
  expect(said).toContain('HOME-1 customers.0.email: changed');
  expect(said).not.toContain('HOME-2');
  expect(said).toContain('2 accounts are in no digest');
  expect((await verify(certificate, files)).said).toContain('reconcile differences 019ac3f2');
});

/** What `reconcile accounts` prints: a digest of each account, or the hashes of the values of one. */
function listedAccounts(accountLines: string, transactionLines: string, valuesOf: string[] = []): Json[] {
  const counter = chunkCounter({ importSupplier: SUPPLIER, byAccount: { valuesOf } });
  const sums = new Map<string, Uint32Array>();
  const hashes = new Map<string, Json[]>();
  for (const [lines, kind] of [
    [accountLines, 'accounts'],
    [transactionLines, 'transactions'],
  ] as const) {
    const { numbers, sums: added, values } = counter.count(Buffer.from(lines), kind).accounts!;
    for (const [index, number] of numbers.entries()) {
      const sum = sums.get(number) ?? new Uint32Array(8);
      addWords(sum, added, index * 8);
      sums.set(number, sum);
    }
    for (const [number, all] of values) {
      hashes.set(number, [...(hashes.get(number) ?? []), ...all.map(([path, sha256]) => ({ path, sha256 }))]);
    }
  }
  return valuesOf.length > 0
    ? Array.from(hashes, ([external_account_number, values]) => ({ external_account_number, values }))
    : Array.from(sums, ([external_account_number, sum]) => ({ external_account_number, digest: digitsOf(sum) }));
}

test('names the accounts and paths in which files differ from what was accepted', async () => {
  const [accountLines, transactionLines] = [textOf(accounts), textOf(transactions)];
  const certificate = await certify(countsOf(accountLines, transactionLines));
  const list = write('accounts-list.ndjson', textOf(listedAccounts(accountLines, transactionLines)));
  const numbers = accounts.map(({ external_account_number: number }) => number as string);
  const changed: Json = structuredClone(accounts[7]!);
  changed['customers'][0].family_name = 'Other';
  changed['metadata'] = [];
  const cent: Json = structuredClone(transactions[9]!);
  cent['transactions'][2].line_items[1].net_amount = '5.51';
  const files = [
    // The first account is missing, the third has another number.
    write(
      'accounts.ndjson',
      textOf([
        accounts[1]!,
        { ...accounts[2], external_account_number: 'NEW-1' },
        ...accounts.slice(3).with(4, changed),
      ]),
    ),
    write('transactions.ndjson', textOf(transactions.with(9, cent))),
  ];
  const { status, said } = await verify(certificate, files, '--accounts', list);
  expect(status).toBe(1);
  const named = said.split('\n').filter((line) => /^ {2}(?:HOME|FIRM|NEW)/.test(line));
  expect(named.toSorted()).toEqual(
    [
      `  ${numbers[0]}: not in the files`,
      `  ${numbers[2]}: not in the files`,
      '  NEW-1: not in the certificate',
      `  ${numbers[7]}: differs`,
      `  ${numbers[9]}: differs`,
    ].toSorted(),
  );
  expect(said).toContain(`reconcile accounts 019ac3f2-9a41-7f0e-8c1d-5b7d9e1f3a5c ${numbers[7]} ${numbers[9]}`);
  expect(said).not.toContain('do not add up');

  const some = [numbers[7]!, numbers[9]!];
  const values = write('values.ndjson', textOf(listedAccounts(accountLines, transactionLines, some)));
  const explained = (await verify(certificate, files, '--accounts', list, values)).said;
  expect(explained).toContain(`  ${numbers[7]} customers.0.family_name: changed`);
  expect(explained).toContain(`  ${numbers[7]} metadata.0.value: not in the files`);
  expect(explained).toContain(`  ${numbers[9]} transactions.C.line_items.1.net_amount: changed`);
  expect(explained).not.toContain(': differs');
});

test('says that a list of accounts is not the one of the certificate, and which line cannot be read', async () => {
  const [accountLines, transactionLines] = [textOf(accounts), textOf(transactions)];
  const certificate = await certify(countsOf(accountLines, transactionLines));
  const files = [write('accounts.ndjson', accountLines), write('transactions.ndjson', transactionLines)];
  const listed = listedAccounts(accountLines, transactionLines);
  const all = await verify(certificate, files, '--accounts', write('list.ndjson', textOf(listed)));
  expect(all).toMatchObject({ status: 0 });
  const other = await verify(certificate, files, '--accounts', write('list.ndjson', textOf(listed.slice(1))));
  expect([other.status, other.said]).toEqual([1, expect.stringContaining('do not add up to the certificate')]);
  const bad = await verify(certificate, files, '--accounts', write('list.ndjson', `${textOf(listed.slice(1))}{"a":1}`));
  expect([bad.status, bad.said]).toEqual([2, expect.stringMatching(/line 60 is not a line of `reconcile accounts`/)]);
});

/** A value in a record, and the field that has its digest. */
interface Place {
  holder: Json;
  member: string;
  field: string;
}

const FREE =
  /^(metadata\.\*\.value|supply_addresses\.\*\.supply_points\.\*\.consent_data|account_contracts\.\*\.versions\.\*\.terms\.\*)\..*/;

function placesIn(value: Json, path: string): Place[] {
  return Object.entries(value).flatMap(([member, inner]: [string, unknown]) => {
    const at = `${path}${path === '' ? '' : '.'}${Array.isArray(value) ? '*' : member}`;
    if (typeof inner === 'object' && inner !== null) return placesIn(inner, at);
    return [{ holder: value, member, field: at.replace(FREE, '$1').replace(/\.units\.\*$/, '.units') }];
  });
}

const SWAPPED = new Map(
  Object.entries({ CHARGE: 'CREDIT', CREDIT: 'CHARGE', PAYMENT: 'REPAYMENT', REPAYMENT: 'PAYMENT' }),
);

/** Another value of the same form; undefined if there is none that must be noticed. */
function otherValue({ holder, member, field }: Place, value: unknown): unknown {
  if (field === 'transactions.*.type') return SWAPPED.get(value as string);
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  if (field.endsWith('ed_at')) return value === '' ? undefined : (value as string)?.replace(/^..../, '2016');
  if (field === 'business.siret') return `${value as string}1`;
  if (value === null) return field.startsWith('metadata') || field.startsWith('account_contracts') ? 1 : undefined;
  return field.endsWith('_path') || !/^-?\d+\.\d+$/.test(value as string)
    ? `${value as string}x${holder.length ?? member.length}`
    : `${value as string}1`;
}

/** Whether a value is part of what is hashed with every value of its record. */
const isKey = (field: string) => /^external_account_number$|transaction_id$/.test(field);

test(`both verifiers find ${CHANGES} seeded changes by path`, () => {
  const random = randomOf(1);
  const pairs: { before: string; after: string; kind: 'accounts' | 'transactions'; field: string }[] = [];
  while (pairs.length < CHANGES) {
    const isAccount = random() < 0.7;
    const records = isAccount ? accounts : transactions;
    const record = records[Math.floor(random() * records.length)]!;
    const copy = structuredClone(record);
    const places = placesIn(copy, '');
    const place = places[Math.floor(random() * places.length)]!;
    const other = otherValue(place, place.holder[place.member]);
    if (other === undefined) continue;
    place.holder[place.member] = other;
    pairs.push({
      before: JSON.stringify(record),
      after: JSON.stringify(copy),
      kind: isAccount ? 'accounts' : 'transactions',
      field: place.field,
    });
  }
  const inCode = pairs.map(({ before, after, kind }) => {
    const [one, two] = [before, after].map((line) =>
      digestsOf(kind === 'accounts' ? countsOf(line, '') : countsOf('', line)),
    );
    return differing(Object.fromEntries(one!), Object.fromEntries(two!));
  });
  const found = [inCode, ...(hasPython ? [differencesInPython(pairs)] : [])];
  for (const fields of found) {
    const missed = pairs.flatMap(({ field }, index) => {
      const names = fields[index]!;
      const isFound = isKey(field) ? names.length > 1 : names.length === 1 && names[0] === field;
      return isFound ? [] : [{ field, names }];
    });
    expect(missed).toEqual([]);
  }
});

function differing(one: Json, two: Json): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(two)])].filter((name) => one[name] !== two[name]);
}

/** The fields that the second verifier finds changed in each pair, in one process. */
function differencesInPython(pairs: readonly object[]): string[][] {
  const input = write('pairs.ndjson', textOf(pairs));
  const driver = `
import json, os, runpy, sys
verifier = runpy.run_path(sys.argv[1])
for line in open(sys.argv[2], encoding="utf-8"):
    pair = json.loads(line)
    sums = []
    for side in ("before", "after"):
        path = os.path.join(sys.argv[3], pair["kind"] + "-one.ndjson")
        with open(path, "w", encoding="utf-8") as out:
            out.write(pair[side])
        sums.append(verifier["digests"]([path], "${SUPPLIER}")[0])
    print(json.dumps([sums[0], sums[1]]))
`;
  const output = execFileSync('python3', ['-c', driver, SECOND_VERIFIER, input, folder], {
    encoding: 'utf8',
    maxBuffer: 512 * 1024 * 1024,
  });
  return output
    .trim()
    .split('\n')
    .map((line) => differing(...(JSON.parse(line) as [Json, Json])));
}
