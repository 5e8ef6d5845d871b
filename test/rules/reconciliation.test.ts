import fc from '../support/random-seed.ts';
import { expect, test } from '@jest/globals';
import { hash } from 'node:crypto';
import { Big } from 'big.js';
import {
  countAnswer,
  countInForce,
  endVendor,
  vendorsToQuery,
  viewVendors,
} from '../../src/reconciliation/queried-instructions.rules.ts';
import { viewOfReconciliation } from '../../src/reconciliation/certificate.rules.ts';
import { acceptedValue, readJson, storedValue } from '../../src/reconciliation/compare/form.rules.ts';
import { addDecimal, emptyTally, hashSum } from '../../src/reconciliation/tally.rules.ts';
import { isInstant } from '../../src/vocabulary/wire-forms.ts';

test.each([
  ['decimal', 61.25, '61.250'],
  ['decimal', '0012.00', '12'],
  ['decimal', 1e-7, '0.0000001'],
  ['decimal', '-0.50', '-0.5'],
  ['decimal', -0, '0.00'],
  ['decimals', ['4.0', 6], '{4,6.00}'],
  ['instant', '2024-01-01T00:00:00+05:30', '2023-12-31T18:30:00.000000Z'],
  ['instant', '2024-01-01T00:00:00.0000005Z', '2024-01-01T00:00:00.000000Z'],
  ['instant', '2024-01-01T00:00:00.0000015Z', '2024-01-01T00:00:00.000002Z'],
  ['instant', '2023-12-31T23:59:59.9999999Z', '2024-01-01T00:00:00.000000Z'],
  ['siret', '732 829 320.00074', '73282932000074'],
  ['path', '//deep//path/', 'deep//path/'],
  ['boolean', false, 'false'],
  ['text', '', null],
  ['json', { b: [1, null], a: '' }, '{"b": [1, null], "a": ""}'],
] as const)('%s %j equals what the database writes', (form, accepted, stored) => {
  expect(acceptedValue(form, accepted)).toBe(storedValue(form, stored));
});

test('writes decimals without insignificant zeros, and timestamps in UTC', () => {
  const digits = fc.stringMatching(/^-?[0-9]{1,12}(?:\.[0-9]{1,6})?$/);
  fc.assert(
    fc.property(digits, (text) => {
      expect(acceptedValue('decimal', text)).toBe(new Big(text).eq(0) ? '0' : new Big(text).toFixed());
    }),
  );
  const time = fc.stringMatching(
    /^20[0-4][0-9]-0[1-9]-[0-2][1-9]T[01][0-9]:[0-5][0-9]:[0-5][0-9](?:Z|[+-](?:0[0-9]|1[0-4]):(?:00|30))$/,
  );
  fc.assert(
    fc.property(time, (text) => {
      const isReal = !Number.isNaN(Date.parse(text)) && isInstant(text);
      const expected = isReal ? new Date(text).toISOString().replace('.000Z', '.000000Z') : text;
      expect(acceptedValue('instant', text)).toBe(expected);
    }),
  );
});

test('keeps the text of a number that a double would change', () => {
  const text = '{"n": 0.1000000000000000055511151231257827, "s": "1234567890123456789"}';
  expect(JSON.stringify(readJson(text))).toBe('{"n":0.1000000000000000055511151231257827,"s":"1234567890123456789"}');
});

test('adds money exactly', () => {
  const cents = fc.integer({ min: -1_000_000_000, max: 1_000_000_000 });
  const text = (value: number) => String(value / 100);
  fc.assert(
    fc.property(fc.array(cents), (values) => {
      const sum = values.reduce((total, value) => addDecimal(total, text(value)), '0');
      expect(sum).toBe(text(values.reduce((total, value) => total + value, 0)));
    }),
  );
});

test('adds hashes like their numbers, in any order, with or without a pause', () => {
  const digest = (value: string) => hash('sha256', value);
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 20 }), fc.nat(20), (values, pause) => {
      const one = hashSum();
      for (const value of values.slice(0, pause)) one.addHashOf(value);
      const other = hashSum(one.toString());
      for (const value of values.slice(pause).toReversed()) other.addHashOf(value);
      const sum = values.reduce((total, value) => total + BigInt(`0x${digest(value)}`), 0n);
      expect(other.toString()).toBe((sum % 2n ** 256n).toString(16).padStart(64, '0'));
      const parts = hashSum(one.toString());
      const rest = hashSum();
      for (const value of values.slice(pause)) rest.addHashOf(value);
      parts.addSum(rest.toString());
      expect(parts.toString()).toBe(other.toString());
    }),
  );
});

test('hashes texts of every length and script like the library of Node', () => {
  const hex = (text: string) => {
    const sum = hashSum();
    sum.addHashOf(text);
    return sum.toString();
  };
  const texts = [0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 1_000, 1_015, 1_016, 200_000].flatMap((length) =>
    ['a', 'é', '€', '😀'].map((character) => character.repeat(length)),
  );
  for (const text of texts) expect(hex(text)).toBe(hash('sha256', text));
  for (const unit of ['grapheme', 'binary'] as const) {
    fc.assert(fc.property(fc.string({ unit }), (text) => expect(hex(text)).toBe(hash('sha256', text))));
  }
  for (const text of ['\ud83d', 'a\ud83d', '\udc00b', '\ud83d\ud83d\ude00']) {
    expect(hex(text)).toBe(hash('sha256', text));
  }
});

test.each([
  ['a third is compared in a minute', 100, 300, '2026-01-01T00:03:00.000Z'],
  ['more is compared than was counted', 300, 299, '2026-01-01T00:01:00.000Z'],
  ['nothing is compared yet', 0, 300, null],
  ['it has ended', 300, undefined, null],
])('forecasts the end at the current pace if %s', (_case, accounts, total, end) => {
  const createdAt = new Date('2026-01-01T00:00:00Z');
  const record = { id: 'x', tally: { ...emptyTally(), accounts }, createdAt, endedAt: null } as never;
  const view = viewOfReconciliation(record, total, new Date('2026-01-01T00:01:00Z'));
  expect(view).toMatchObject({ estimated_end_at: end, accounts_in_all: total ?? null });
});

const mandates = (vendor: string, count: number, isVerified = true) => ({
  vendor,
  type: 'DIRECT_DEBIT',
  isVerified,
  count,
  unlikeVerification: 0,
});

test('reports instructions without a vendor query immediately, and forecasts the others', () => {
  const tally = { ...emptyTally(), accounts: 10 };
  countInForce(tally, [mandates('gocardless', 60), mandates('GOCARDLESS', 5, false), mandates('HOUSE', 7)], false);
  expect(viewVendors(tally)).toMatchObject([
    { vendor: 'GOCARDLESS', in_force: 65, asked: 0, not_asked: [{ reason: 'not_verified', instructions: 5 }] },
    { vendor: 'OTHER', in_force: 7, not_asked: [{ reason: 'unknown_vendor', instructions: 7 }] },
  ]);
  expect(vendorsToQuery(tally)).toEqual(['GOCARDLESS']);
  const createdAt = new Date('2026-01-01T00:00:00Z');
  const record = { id: 'x', tally, createdAt, endedAt: null } as never;
  const end = () => viewOfReconciliation(record, 10, createdAt).estimated_end_at;
  // Ten a second: all of them, and those that the daily limit still allows.
  expect(end()).toBe('2026-01-01T00:00:06.000Z');
  tally.progress = { GOCARDLESS: { after: ['A', 0], failures: 0, left: 20 } };
  expect(end()).toBe('2026-01-01T00:00:02.000Z');
  tally.progress = { GOCARDLESS: { after: ['A', 0], failures: 0, left: 0 } };
  expect(vendorsToQuery(tally)).toEqual([]);
  tally.compared_at = createdAt.toISOString();
  expect(vendorsToQuery(tally)).toEqual(['GOCARDLESS']);
});

test.each([
  ['others wait for which there is a reason', 'limit_reached', { in_force: 4, not_asked: { limit_reached: 3 } }],
  ['others were replaced meanwhile', undefined, { in_force: 1, not_asked: {} }],
] as const)('ends the queries to a vendor if %s', (_case, reason, counts) => {
  const tally = { ...emptyTally(), progress: { STRIPE: { after: ['A', 0] as const, failures: 0, left: 0 } } };
  countInForce(tally, [{ vendor: 'STRIPE', type: 'CARD', isVerified: true, count: 4, unlikeVerification: 0 }], true);
  countAnswer(tally, 'STRIPE', { kind: 'usable' });
  endVendor(tally, 'STRIPE', reason);
  expect(tally.vendors['STRIPE']).toEqual({ asked: 1, usable: 1, different: 0, ...counts });
  expect(vendorsToQuery({ ...tally, compared_at: '2026-01-01T00:00:00.000Z' })).toEqual([]);
});
