import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from '../support/random-seed.ts';
import {
  type Manifest,
  MANIFEST_TYPE,
  manifestSchema,
  publishedManifestSchema,
} from '../../src/manifest/manifest.schema.ts';
import { recordOf, runningTotals } from '../../src/manifest/running-totals.validation.ts';
import { compareTotals, mergeTotals } from '../../src/manifest/totals.rules.ts';
import { compilePayload } from '../../src/platform/validation/compile-payload.ts';
import { canonicalJson } from '../../src/reconciliation/compare/canonical-json.rules.ts';
import type { ImportJobKind } from '../../src/vocabulary/import-jobs.ts';
import { accountVariant } from '../support/account-variants.ts';

const checkManifest = compilePayload<Manifest>(manifestSchema);

const RECORDS: [ImportJobKind, object][] = [
  ...Array.from({ length: 12 }, (_, seed): [ImportJobKind, object] => [
    'accounts',
    accountVariant(seed, seed, 'SUPPLIER_FR'),
  ]),
  ['businesses', { business: { business_contracts: [{}, {}] } }],
  ['business-contracts', { business_contracts: [{}] }],
  ['notes', { notes: [{}, {}, {}] }],
  ['statements', { statements: [{ gross_amount: '10.005' }, { gross_amount: 0.1 }, { gross_amount: 'x' }] }],
  [
    'transactions',
    {
      external_account_number: 'A',
      transactions: [
        { transaction_id: 'T1', type: 'CHARGE', amount: 0.1 },
        { transaction_id: 'T2', type: 'CHARGE', amount: '0.20' },
        { transaction_id: 'T3', type: 'OTHER', amount: '5' },
      ],
    },
  ],
  ['payment-instructions', {}],
];

function totalsOf(records: readonly [ImportJobKind, object][]) {
  const running = runningTotals();
  for (const [kind, record] of records) running.add(kind, recordOf(kind, record));
  return running.kinds();
}

test('counts every kind, with exact sums', () => {
  const { accounts, ...others } = totalsOf(RECORDS);
  expect(accounts).toMatchObject({ records: 12 });
  expect(accounts!.digests!.length).toBeGreaterThan(50);
  expect(others).toEqual({
    businesses: { records: 1, business_contracts: 2 },
    'business-contracts': { records: 1, business_contracts: 1 },
    notes: { records: 1, notes: 3 },
    statements: { records: 1, statements: 3, gross_sum: '10.105' },
    transactions: {
      records: 1,
      transactions: 3,
      by_type: { CHARGE: { count: 2, sum: '0.30' } },
      digests: ['amount', 'transaction_id', 'type'].map((name) => ({
        name: `transactions.*.${name}`,
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      })),
    },
    'payment-instructions': { records: 1 },
  });
});

test('gives the same totals in any order and any parts', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(RECORDS, { minLength: RECORDS.length }), fc.nat(RECORDS.length), (records, at) => {
      const parts = mergeTotals(totalsOf(records.slice(0, at)), totalsOf(records.slice(at)));
      const continued = runningTotals(totalsOf(records.slice(0, at)));
      for (const [kind, record] of records.slice(at)) continued.add(kind, recordOf(kind, record));
      const all = totalsOf(RECORDS);
      expect(parts).toEqual(all);
      expect(continued.kinds()).toEqual(all);
      expect(compareTotals({ kinds: all }, parts)).toEqual([]);
    }),
  );
});

test('accepts a manifest that it writes, one with totals only, and rejects a misspelt total', () => {
  const violations = (manifest: object) =>
    checkManifest({ type: MANIFEST_TYPE, ...manifest }, undefined).violations.map(({ code, attr }) => [code, attr]);
  expect(violations({ canonicalization: 1, kinds: totalsOf(RECORDS) })).toEqual([]);
  expect(
    violations({ kinds: { accounts: { records: 3 }, transactions: { by_type: { CHARGE: { sum: '1' } } } } }),
  ).toEqual([]);
  expect(violations({ kinds: { accounts: { custommers: 3 } } })).toEqual([
    [expect.any(String), 'kinds.accounts.custommers'],
  ]);
  expect(violations({ kinds: { accounts: { digests: [{ name: 'x', digest: '' }] } } })).toEqual([
    [expect.any(String), 'kinds.accounts.digests.0.digest'],
  ]);
});

test('rejects digests of another version of the notation with both versions and a remedy', () => {
  const { violations } = checkManifest({ type: MANIFEST_TYPE, canonicalization: 2, kinds: {} }, undefined);
  expect(violations).toEqual([
    {
      attr: 'canonicalization',
      code: 'max_value',
      detail: expect.stringMatching(
        /version 2 of the notation, and this service computes version 1\. .*`gangway manifest`.*omit `canonicalization`/,
      ),
    },
  ]);
});

test('publishes its JSON Schema', () => {
  const file = join(import.meta.dirname, '../../docs/suppliers/manifest.schema.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(JSON.stringify(publishedManifestSchema)));
});

test('lists each stated total that differs, and no other', () => {
  const expected: Manifest['kinds'] = {
    accounts: { customers: 11, supply_points: { GAS: 2 }, energy_cheques: { count: 1, sum: '10' } },
    transactions: {
      by_type: { CHARGE: { count: 2, sum: '1.00' } },
      digests: [{ name: 'a', digest: '0'.repeat(63) + '1' }],
    },
    notes: { notes: 1 },
  };
  const received: Manifest['kinds'] = {
    accounts: {
      records: 5,
      customers: 11,
      supply_points: { GAS: 2, ELECTRICITY: 1 },
      energy_cheques: { count: 1, sum: '10.00' },
    },
    transactions: { by_type: { CHARGE: { count: 2, sum: '0.99' }, CREDIT: { count: 1, sum: '5.00' } } },
    statements: { records: 1 },
  };
  expect(compareTotals({ kinds: expected }, received)).toEqual([
    { path: 'accounts.supply_points.ELECTRICITY', expected: '0', received: '1', difference: '1' },
    { path: 'transactions.by_type.CHARGE.sum', expected: '1.00', received: '0.99', difference: '-0.01' },
    { path: 'transactions.by_type.CREDIT.count', expected: '0', received: '1', difference: '1' },
    { path: 'transactions.by_type.CREDIT.sum', expected: '0.00', received: '5.00', difference: '5.00' },
    { path: 'transactions.digests.a', expected: '0'.repeat(63) + '1', received: '0'.repeat(64), difference: null },
    { path: 'notes.notes', expected: '1', received: '0', difference: '-1' },
  ]);
  expect(compareTotals({ kinds: expected }, received, ['notes'])).toHaveLength(1);
  expect(compareTotals({ kinds: expected }, received, ['statements'])).toEqual([]);
});

test.each([
  ['{"b":1.50,"a":[1e2,1E-3,-0.0,12345678901234567890.10]}', '{"a":[100,0.001,0,12345678901234567890.1],"b":1.5}'],
  ['{"10":1,"9":2,"":3}', '{"":3,"10":1,"9":2}'],
  ['{"\\uffff":1,"\\ud83d\\ude00":2,"\\u00e9":3}', '{"é":3,"\uffff":1,"😀":2}'],
  ['"a\\/b\\u0001\\u00e9\\n1e5 12345678901234567890"', '"a/b\\u0001é\\n1e5 12345678901234567890"'],
])('writes %s in the hashed notation', (text, canonical) => {
  expect(canonicalJson(text)).toBe(canonical);
  expect(canonicalJson(canonical)).toBe(canonical);
});
