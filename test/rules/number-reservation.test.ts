import { expect, test } from '@jest/globals';
import fc from '../support/random-seed.ts';
import {
  decideReservation,
  type DatabaseMark,
  type NumberMarks,
} from '../../src/platform/numbers/decide-reservation.ts';

const range = (from: number, until: number, last: number) => ({ from, until, last });
const markOf = (holds: boolean | undefined, from: number, until: number, last: number): DatabaseMark => ({
  holds,
  promotions: 0,
  nowSeconds: 0,
  account: range(from, until, last),
  business: range(from, until, last),
});

test.each<[string, DatabaseMark, number | undefined, object]>([
  ['a new database and no mark', markOf(undefined, 0, 0, 1), undefined, { from: 1, until: 100_001, leap: true }],
  [
    'a database of an earlier version',
    markOf(undefined, 0, 0, 4_711),
    undefined,
    { from: 4_711, until: 104_711, leap: true },
  ],
  ['a new database, the mark kept', markOf(undefined, 0, 0, 1), 300_000, { from: 300_000, until: 400_000, leap: true }],
  ['a range that gets short', markOf(true, 1, 100_001, 60_000), 100_001, { from: 1, until: 200_001, leap: false }],
  ['a range that ran out', markOf(true, 1, 100_001, 100_050), 100_001, { from: 1, until: 200_050, leap: false }],
  ['a restart', markOf(false, 1, 100_001, 60_000), 100_001, { from: 10_100_001, until: 10_200_001, leap: true }],
  [
    'a restore: the mark is further',
    markOf(false, 1, 100_001, 60_000),
    300_000,
    { from: 10_300_000, until: 10_400_000, leap: true },
  ],
  [
    'a restore that shows in the mark alone',
    markOf(true, 1, 100_001, 60_000),
    300_000,
    { from: 10_300_000, until: 10_400_000, leap: true },
  ],
  ['the mark lost', markOf(true, 1, 100_001, 60_000), undefined, { from: 100_100_001, until: 100_200_001, leap: true }],
  [
    'the mark lost and a restore',
    markOf(false, 1, 100_001, 60_000),
    undefined,
    { from: 100_100_001, until: 100_200_001, leap: true },
  ],
  ['a mark that was set back', markOf(true, 1, 200_001, 160_000), 100_001, { from: 1, until: 300_001, leap: false }],
])('%s', (_what, mark, account, expected) => {
  const outside = account === undefined ? undefined : { account, business: 0 };
  expect(decideReservation('account', mark, outside, () => 0)).toEqual(expected);
});

const SECONDS_2027 = Date.UTC(2027, 0, 1) / 1000;
const leapOf = (mark: Partial<DatabaseMark>, random = 0) =>
  decideReservation(
    'account',
    { ...markOf(false, 1, 100_001, 60_000), ...mark },
    { account: 100_001, business: 0 },
    () => random,
  ).from;

test('differs by random part, clock and timeline between two leaps from the same state', () => {
  expect(leapOf({}, 0.5) - leapOf({})).toBe(50_000_000);
  expect(leapOf({ nowSeconds: SECONDS_2027 })).toBe(365 * 86_400 * 1_000);
  expect(leapOf({ nowSeconds: SECONDS_2027 + 10 }) - leapOf({ nowSeconds: SECONDS_2027 }, 0.9)).toBe(10_000);
  expect(leapOf({ nowSeconds: SECONDS_2027, promotions: 2 }) - leapOf({ nowSeconds: SECONDS_2027 })).toBe(2e9);
  // A clock that is wrong by decades leaves room for leaps.
  expect(leapOf({ nowSeconds: SECONDS_2027 * 10 })).toBe(900_000_000_000);
});

/** Events of an installation with a copy of the database that can be restored. */
const events = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant('give' as const), count: fc.integer({ min: 1, max: 900 }) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constantFrom(
          'back up' as const,
          'restore database' as const,
          'restart' as const,
          'lose mark' as const,
          'new database' as const,
        ),
      }),
    },
  ),
  { maxLength: 40 },
);

test('gives no number twice, whatever is restored, restarted or lost', () => {
  fc.assert(
    fc.property(events, (script) => {
      let database = markOf(undefined, 0, 0, 0);
      let outside: NumberMarks | undefined;
      // Of a database that has given numbers: an empty one without a mark is a new installation.
      let backup: DatabaseMark | undefined;
      const given = new Set<number>();
      for (const event of script) {
        if (event.do === 'give') {
          const { business } = database;
          if (database.holds !== true || business.until - business.last <= 900) {
            const reserved = decideReservation('business', database, outside);
            outside = { account: 0, business: reserved.until };
            database = {
              ...database,
              holds: true,
              business: range(reserved.from, reserved.until, reserved.leap ? reserved.from : business.last),
            };
          }
          for (let count = 0; count < event.count; count += 1) {
            const number = database.business.last + 1;
            if (number <= database.business.from || number > database.business.until || given.has(number)) {
              throw new Error(`${number} is given twice, or outside its range`);
            }
            given.add(number);
            database = { ...database, business: { ...database.business, last: number } };
          }
        } else if (event.do === 'back up' && database.holds !== undefined) backup = database;
        else if (event.do === 'restore database' && backup !== undefined) database = { ...backup, holds: false };
        else if (event.do === 'restart' && database.holds !== undefined) database = { ...database, holds: false };
        else if (event.do === 'lose mark' && database.holds !== undefined) outside = undefined;
        else if (event.do === 'new database' && outside !== undefined) database = markOf(undefined, 0, 0, 0);
      }
    }),
    { numRuns: 300 },
  );
});
