import { expect, test } from '@jest/globals';
import { countCauses, exampleValue, faultsOf, placeOf } from '../../src/import-jobs/results/cause.rules.ts';
import type { LineOutcome } from '../../src/import-jobs/work-off/line-kind.rules.ts';
import { readLine, setSupplierOf } from '../../src/import-jobs/read-line.validation.ts';
import { violation } from '../../src/vocabulary/violations.ts';
import { warning } from '../../src/vocabulary/warnings.ts';

const line = (text: string | Uint8Array) => readLine(Buffer.from(text as string));
const deep = (levels: number) => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);

test('reads a line without members that results have added to it', () => {
  const sent = '{"_line":3,"_errors":[{"code":"required"}],"_warnings":[],"a":{"_errors":1},"b":12345678901234567890}';
  expect(JSON.stringify(line(sent))).toBe('{"body":{"a":{"_errors":1},"b":12345678901234567890},"isPlain":false}');
});

test.each([
  ['a duplicate member', '{"a":1,"a":2}', 'parse_error'],
  ['half an object', '{"a":', 'parse_error'],
  ['bytes that are not UTF-8', Uint8Array.of(0x22, 0xff, 0x22), 'parse_error'],
  ['an unterminated object', deep(100), 'validation_failed'],
  ['a list of too many numbers', `[${'1e1,'.repeat(10_001)}1]`, 'request_too_large'],
])('rejects %s like a body', (_name, sent, code) => {
  expect(line(sent)).toMatchObject({ kind: 'refused', code });
});

test.each(['[]', '1', 'null', '"text"'])("leaves %s to the payload's validation", (sent) => {
  const read = line(sent);
  expect(read).toEqual({ body: JSON.parse(sent), isPlain: true });
  expect(setSupplierOf({ kind: 'notes', importSupplier: 'S' }, (read as { body: unknown }).body)).toBeUndefined();
});

test('uses the import supplier of the job for its lines', () => {
  const body: Record<string, unknown> = {};
  expect(setSupplierOf({ kind: 'notes', importSupplier: 'S' }, body)).toBeUndefined();
  expect(body).toEqual({ import_supplier: 'S' });
  const business: Record<string, unknown> = { import_supplier: 'T' };
  expect(setSupplierOf({ kind: 'businesses', importSupplier: 'S' }, business)).toBeUndefined();
  expect(business).toEqual({ import_supplier: 'T', import_supplier_code: 'S' });
  expect(setSupplierOf({ kind: 'accounts', importSupplier: 'S' }, { import_supplier: 'T' })).toMatchObject({
    code: 'account_failed_validation',
    violations: [{ code: 'invalid_choice', attr: 'import_supplier' }],
  });
  // The schema rejects another type.
  expect(setSupplierOf({ kind: 'notes', importSupplier: 'S' }, { import_supplier: 7 })).toBeUndefined();
});

test.each([
  ['customers.0.mobile', 'customers.*.mobile'],
  ['supply_addresses.12.supply_points.3.identifier', 'supply_addresses.*.supply_points.*.identifier'],
  ['non_field_errors', 'non_field_errors'],
  ['Jean Dupont.0', '?.*'],
])('%s becomes the place %s', (attr, place) => {
  expect(placeOf(attr)).toBe(place);
});

const failed = (...attrs: string[]): LineOutcome => ({
  kind: 'failed',
  code: 'validation_failed',
  errors: attrs.map((attr) => violation('invalid', attr.split('.'))),
});

test('counts each line once per place, and once more where nothing else blocks it', () => {
  const causes = countCauses([
    { line: 4, outcome: failed('notes.0.created_at', 'notes.1.created_at'), body: { notes: [{ created_at: 'now' }] } },
    { line: 5, outcome: failed('notes.0.created_at', 'amount') },
    { line: 6, outcome: { kind: 'succeeded', warnings: [warning('billed_date_in_future', ['last_billed_to_date'])] } },
    {
      line: 7,
      outcome: { ...failed('amount'), warnings: [warning('billed_date_in_future', ['last_billed_to_date'])] },
    },
    { line: 8, outcome: { kind: 'failed', code: 'account_not_found', errors: [] } },
    { line: 9, outcome: { kind: 'quarantined' } },
    { line: 10, outcome: { kind: 'staged', revision: 1 } },
  ]);
  expect(
    causes.map(({ code, place, isWarning, records, alone, exampleLine, exampleValue: value }) =>
      [code, place, isWarning, records, alone, exampleLine, value].join(' '),
    ),
  ).toEqual([
    'account_not_found non_field_errors false 1 1 8 ',
    'billed_date_in_future last_billed_to_date true 2 0 6 ',
    'invalid amount false 2 1 5 ',
    'invalid notes.*.created_at false 2 1 4 now',
    'quarantined non_field_errors false 1 1 9 ',
  ]);
});

test('explains a line that fails without a field in a sentence', () => {
  expect(faultsOf({ kind: 'failed', code: 'duplicate_in_job', errors: [], detail: 'Line 3 has it.' })).toEqual([
    { code: 'duplicate_in_job', detail: 'Line 3 has it.', attr: 'non_field_errors' },
  ]);
  expect(faultsOf({ kind: 'succeeded', number: 'A-1' })).toEqual([]);
});

const account = {
  account_type: 'BUISNESS',
  billing_postcode: '75001',
  customers: [{ family_name: 'Dupont', email: 'a@b.fr', mobile: '0612' }],
  supply_addresses: [{ supply_points: [{ identifier: '12345678901234', supply_type: 'Gaz' }] }],
  notes: [{ created_at: '2026-02-30T00:00:00Z', body: 'private' }],
  sales_channel: 'Jean Dupont',
  slug: '33612345678',
};

test.each([
  ['account_type', 'BUISNESS'],
  ['supply_addresses.0.supply_points.0.supply_type', 'Gaz'],
  ['notes.0.created_at', '2026-02-30T00:00:00Z'],
  // People, their points and other personal values.
  ['billing_postcode', null],
  ['customers.0.family_name', null],
  ['customers.0.email', null],
  ['customers.0.mobile', null],
  ['supply_addresses.0.supply_points.0.identifier', null],
  ['notes.0.body', null],
  ['sales_channel', null],
  ['slug', null],
  ['notes', null],
  ['notes.9.created_at', null],
  ['constructor', null],
])('the example of %s is %s', (attr, value) => {
  expect(exampleValue(account, attr)).toBe(value);
});
