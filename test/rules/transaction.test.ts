import { expect, test } from '@jest/globals';
import fc from '../support/random-seed.ts';
import {
  findTransactionViolations,
  decimalOf,
  sumOf,
  toTwoDecimals,
  nearestDayInside,
  openStatementPeriod,
  differingFields,
  noteOnMoved,
  classifyTransactions,
  type StoredTransaction,
} from '../../src/transactions/classify-transactions.rules.ts';
import { dayAfter } from '../../src/platform/clock.ts';

const dayArb = fc
  .integer({ min: 0, max: 109_000 })
  .map((days) => new Date(Date.UTC(1900, 0, 1 + days)).toISOString().slice(0, 10));
const maybeDayArb = fc.option(dayArb);
const centsArb = fc.bigInt({ min: -99_999_999_999_999n, max: 99_999_999_999_999n });
const decimalText = (cents: bigint) =>
  `${cents < 0n ? '-' : ''}${String(cents < 0n ? -cents : cents)
    .padStart(3, '0')
    .replace(/(..)$/, '.$1')}`;

test.each<[string | null, string | null, string, string | null]>([
  [null, null, '2026-11-21', null],
  ['2026-10-31', null, '2026-11-21', '2026-11-01'],
  [null, '2026-02-28', '2026-11-21', '2026-03-01'],
  ['2026-10-31', '2026-09-30', '2026-11-21', '2026-11-01'],
  ['2026-09-30', '2026-10-31', '2026-11-21', '2026-11-01'],
  ['2026-11-20', null, '2026-11-21', '2026-11-21'],
  ['2026-11-21', null, '2026-11-21', '2026-11-21'],
  ['2199-12-31', null, '2026-11-21', '2026-11-21'],
])('billed to %s, last statement to %s, today %s: open from %s', (lastBilledToDate, lastStatementEnd, today, from) => {
  expect(openStatementPeriod({ lastBilledToDate, lastStatementEnd, today })).toEqual({ from, to: today });
});

test('moves a day to the nearest one inside, and keeps a day inside', () => {
  fc.assert(
    fc.property(maybeDayArb, maybeDayArb, dayArb, dayArb, (lastBilledToDate, lastStatementEnd, today, day) => {
      const period = openStatementPeriod({ lastBilledToDate, lastStatementEnd, today });
      const moved = nearestDayInside(period, day);
      expect(moved <= period.to && (period.from === null || moved >= period.from)).toBe(true);
      const isInside = day <= period.to && (period.from === null || day >= period.from);
      expect(moved).toBe(isInside ? day : day > period.to ? period.to : period.from);
      for (const billed of [lastBilledToDate, lastStatementEnd]) {
        if (billed !== null && billed < today) expect(period.from! > billed).toBe(true);
      }
    }),
    { numRuns: 3_000 },
  );
});

test('adds one calendar day', () => {
  fc.assert(
    fc.property(dayArb, (day) => {
      expect(Date.parse(dayAfter(day)) - Date.parse(day)).toBe(86_400_000);
    }),
  );
});

test('adds exactly, in any order and notation of amounts', () => {
  fc.assert(
    fc.property(fc.array(centsArb), fc.array(fc.integer()), (cents, seeds) => {
      const texts = cents.map(decimalText);
      const written = texts.map((text, index) =>
        Number.isSafeInteger(Number(cents[index])) && (seeds[index] ?? 0) % 2 === 0 ? Number(text) : text,
      );
      const expected = decimalText(cents.reduce((sum, value) => sum + value, 0n));
      expect(sumOf(written)!.toFixed(2)).toBe(sumOf([...written].reverse())!.toFixed(2));
      expect(sumOf(written)!.eq(expected)).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

test('writes an amount with two places', () => {
  fc.assert(
    fc.property(centsArb, (cents) => {
      expect(toTwoDecimals(decimalText(cents))).toBe(decimalText(cents));
      expect(decimalOf(toTwoDecimals(Number(decimalText(cents))))!.eq(decimalText(cents))).toBe(true);
    }),
  );
  expect([
    toTwoDecimals(-0),
    toTwoDecimals('-0.0'),
    toTwoDecimals(5),
    toTwoDecimals('x'),
    toTwoDecimals(null),
    toTwoDecimals(1.005),
  ]).toEqual(['0.00', '0.00', '5.00', 'x', null, 1.005]);
});

/** A supply charge of lines of units at a price, in hundredths and ten-thousandths, net amounts rounded to the cent. */
const chargeArb = fc.record({
  lines: fc.array(
    fc.record({ units: fc.integer({ min: 0, max: 10_000_000 }), price: fc.integer({ min: -99_999, max: 99_999 }) }),
    { minLength: 1, maxLength: 5 },
  ),
  taxes: fc.array(fc.integer({ min: -100_000, max: 100_000 }), { maxLength: 3 }),
  off: fc.integer({ min: -5, max: 5 }),
});

test('accepts a supply charge exactly if its amount is the sum of nets and taxes, and each net is units times price', () => {
  fc.assert(
    fc.property(chargeArb, ({ lines, taxes, off }) => {
      const nets = lines.map(({ units, price }) => Math.round((units * price) / 10_000));
      const amount = [...nets, ...taxes].reduce((sum, cents) => sum + cents, 0);
      const violations = findTransactionViolations(
        {
          transactions: [
            {
              transaction_id: 'S',
              type: 'SUPPLY_CHARGE',
              amount: decimalText(BigInt(amount + off)),
              line_items: lines.map(({ units, price }, index) => ({
                number_of_units: units / 100,
                price_per_unit: price / 10_000,
                net_amount: decimalText(BigInt(nets[index]!)),
              })),
              tax_items: taxes.map((cents) => ({ amount: decimalText(BigInt(cents)) })),
            },
          ],
        } as never,
        {},
      );
      expect(violations.map(({ code }) => code)).toEqual(
        off === 0 ? [] : ['ledger_transaction_amount_does_not_match_with_line_item_net_amount_and_tax_amount'],
      );
    }),
    { numRuns: 1_000 },
  );
});

test('survives any payload', () => {
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (anything, more) => {
      const broken = [
        anything,
        { type: 'SUPPLY_CHARGE', line_items: more, amount: anything, tax_items: [more] },
        { type: 'PAYMENT', amount: more, transaction_id: anything },
      ];
      expect(Array.isArray(findTransactionViolations({ transactions: broken } as never, {}))).toBe(true);
      expect(Array.isArray(findTransactionViolations({ transactions: anything } as never, {}))).toBe(true);
    }),
    { numRuns: 500 },
  );
});

const payment = (id: string, day: string, more: object = {}) => ({
  transaction_id: id,
  transaction_date: day,
  amount: 5,
  type: 'PAYMENT' as const,
  reason: 'GENERAL',
  ...more,
});

test('recognizes repeated transactions without a difference, and moves none twice', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(fc.string({ minLength: 1 }), dayArb), { selector: ([id]) => id }),
      maybeDayArb,
      dayArb,
      (items, lastBilledToDate, today) => {
        const sent = items.map(([id, day]) => payment(id, day));
        const period = openStatementPeriod({ lastBilledToDate, lastStatementEnd: null, today });
        const first = classifyTransactions(sent, { stored: [], period, mayMove: true });
        expect(first.added.map(({ transactionDate }) => transactionDate)).toEqual(
          sent.map(({ transaction_date: day }) => nearestDayInside(period, day)),
        );
        expect(noteOnMoved(first.added, period)?.split('\n').length ?? 1).toBe(
          1 + first.added.filter(({ description }) => description !== null).length,
        );
        const stored: StoredTransaction[] = first.added.map((added) => ({
          ...added,
          transactionId: added.sent.transaction_id,
        }));
        const again = classifyTransactions(sent, {
          stored,
          period: { from: '2199-12-31', to: '2199-12-31' },
          mayMove: false,
        });
        expect(again).toMatchObject({ added: [], violations: [] });
        expect(
          again.results.every(
            ({ status, differs }) => status === 'TRANSACTION_ALREADY_EXISTS' && differs === undefined,
          ),
        ).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
});

test.each<[object, object, string[]]>([
  [{ amount: 5 }, { amount: '5.00' }, []],
  [{ note: '' }, {}, []],
  [{ note: 'a' }, {}, ['note']],
  [{ reference: '1.0' }, { reference: '1' }, ['reference']],
  [{ transaction_date: '2026-01-01' }, { transaction_date: '2026-01-02' }, ['transaction_date']],
  [{ line_items: [{ units: [1, '2.0'], rate_band: '' }] }, { line_items: [{ units: ['1', 2] }] }, []],
  [{ line_items: [{ units: [1, 2] }] }, { line_items: [{ units: [1, 2, 3] }] }, ['line_items']],
  [{ line_items: [{}] }, { line_items: {} }, ['line_items']],
  [{ type: 'PAYMENT' }, { type: 'REPAYMENT' }, ['type']],
])('compares %j with %j: differs in %j', (one, other, fields) => {
  expect(differingFields(one as never, other as never)).toEqual(fields);
});
