import { expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import ajvFormats from 'ajv-formats';
import fc from '../support/random-seed.ts';
import { createAjv } from '../../src/platform/validation/keywords.ts';

// Compares our formats with those of the package ajv-formats, which clients use before they send.
// docs/decisions/0042-own-formats.md states the reasons for the differences; all known ones are below.

const theirAjv = new Ajv();
ajvFormats.default(theirAjv, ['date', 'date-time', 'email']);
const accepts = (format: string) => ({
  ours: createAjv().compile({ type: 'string', format }),
  theirs: theirAjv.compile({ type: 'string', format }),
});
const digits = (width: number, max: number) =>
  fc.integer({ min: 0, max }).map((value) => String(value).padStart(width, '0'));
const dayArb = fc.tuple(digits(4, 9_999), digits(2, 14), digits(2, 33)).map((parts) => parts.join('-'));
const nearlyDayArb = fc.oneof(dayArb, fc.stringMatching(/^[0-9]{3,5}-?[0-9]{1,2}[-/ ]?[0-9]{1,2}\n?$/));

test('accepts the days that ajv-formats accepts, from 1900 to 2199', () => {
  const { ours, theirs } = accepts('date');
  fc.assert(
    fc.property(nearlyDayArb, (text) => {
      expect(ours(text)).toBe(theirs(text) && text >= '1900' && text < '2200');
    }),
    { numRuns: 5_000 },
  );
});

const timeArb = fc.tuple(digits(2, 25), digits(2, 61), digits(2, 61)).map((parts) => parts.join(':'));
const fractionArb = fc.oneof(fc.constant(''), fc.stringMatching(/^\.[0-9]{0,12}$/));
const zoneArb = fc.oneof(
  fc.constantFrom('Z', 'z', ''),
  fc
    .tuple(fc.constantFrom('+', '-'), digits(2, 25), fc.constantFrom(':', ''), fc.oneof(digits(2, 61), fc.constant('')))
    .map((parts) => parts.join('')),
);
const instantArb = fc
  .tuple(
    fc.oneof(dayArb, fc.constant('2026-05-04')),
    fc.constantFrom('T', 'T', 't', ' '),
    timeArb,
    fractionArb,
    zoneArb,
  )
  .map((parts) => parts.join(''));

test('accepts the timestamps that ajv-formats accepts, except those listed', () => {
  const { ours, theirs } = accepts('date-time');
  const refusedByUsAlone = [
    (text: string) => text < '1900' || text >= '2200',
    (text: string) => !text.includes('T') || text.endsWith('z'),
    (text: string) => /:60/.test(text),
    // ajv-formats accepts a leap second by its hour and minute in UTC, for any offset.
    (text: string) => /T(?:2[4-9]|\d\d:6)/.test(text),
    (text: string) => /\.\d{10}/.test(text),
    (text: string) => !/(?:Z|[+-]\d\d:\d\d)$/.test(text),
    (text: string) => /[+-](?:1[5-9]|2\d):\d\d$/.test(text),
  ];
  fc.assert(
    fc.property(instantArb, (text) => {
      expect(ours(text)).toBe(theirs(text) && !refusedByUsAlone.some((differs) => differs(text)));
    }),
    { numRuns: 20_000 },
  );
});

test.each([
  ['2026-02-29', false, false],
  ['1899-12-31', false, true],
  ['', true, false],
])('the day %j: ours %p, theirs %p', (text, our, their) => {
  const { ours, theirs } = accepts('date');
  expect([ours(text), theirs(text)]).toEqual([our, their]);
});

test.each([
  ['2026-05-04T10:00:00Z', true, true],
  ['2026-05-04T10:00:00+02:00', true, true],
  ['2026-05-04 10:00:00Z', false, true],
  ['2026-05-04t10:00:00z', false, true],
  ['2026-05-04T10:00:00+02', false, true],
  ['2026-05-04T10:00:00+0200', false, true],
  ['2026-05-04T10:00:00+15:00', false, true],
  ['2016-12-31T23:59:60Z', false, true],
  ['2026-05-04T10:00:00.1234567890Z', false, true],
  ['1899-05-04T10:00:00Z', false, true],
  ['2026-05-04T10:00:00', false, false],
  ['', true, false],
])('the timestamp %j: ours %p, theirs %p', (text, our, their) => {
  const { ours, theirs } = accepts('date-time');
  expect([ours(text), theirs(text)]).toEqual([our, their]);
});

test('accepts an address of the usual form like ajv-formats', () => {
  const { ours, theirs } = accepts('email');
  fc.assert(
    fc.property(
      fc.stringMatching(/^[a-z0-9]{1,20}(?:[._+-][a-z0-9]{1,9}){0,2}@[a-z0-9]{1,20}\.(?:fr|com|energy)$/),
      (text) => {
        expect([ours(text), theirs(text)]).toEqual([true, true]);
      },
    ),
    { numRuns: 2_000 },
  );
});

test.each([
  ['zoé@exemple.fr', true, false],
  ['zoe@énergie.fr', true, false],
  ['"zoe durand"@example.com', true, false],
  [`${'a'.repeat(65)}@example.com`, false, true],
  [`zoe@${'a'.repeat(64)}.com`, false, true],
  ['zoe@example.1', false, true],
  ['zoe@example.c', false, true],
  ['zoe@192.0.2.1', false, true],
  ['zoe@example', false, false],
  ['zoe..durand@example.com', false, false],
  ['', true, false],
])('the address %j: ours %p, theirs %p', (text, our, their) => {
  const { ours, theirs } = accepts('email');
  expect([ours(text), theirs(text)]).toEqual([our, their]);
});
