import { afterAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase } from '../support/test-database.ts';

const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const MANY = 100_000;

const clone = await createTestDatabase();
const client: pg.Client = new pg.Client(clone.url);
await client.connect();
const numbers = await numbersOf(`generate_series(1, ${MANY})`);
afterAll(async () => {
  await client.end();
  await clone.drop();
});

async function numbersOf(serials: string): Promise<string[]> {
  return (
    await client.query<{ number: string }>(`select account_number(serial) as number from ${serials} serial`)
  ).rows.map((row) => row.number);
}

/** The check character as documented, computed as a person on the telephone would do it. */
function holds(number: string): boolean {
  const digits = [...number.slice(2)].map((character) => ALPHABET.indexOf(character));
  const total = digits.slice(0, 8).reduce((sum, digit, place) => sum + digit * (2 * place + 1), 0);
  return digits.length === 9 && !digits.includes(-1) && total % 32 === digits[8];
}

test('gives a hundred thousand different numbers', () => {
  expect(new Set(numbers).size).toBe(MANY);
});

test('gives different numbers to distant serials, and always the same number to one serial', async () => {
  const far = await numbersOf('generate_series(1, (1::bigint << 40) - 1, 10995116)');
  expect(new Set(far).size).toBe(far.length);
  expect(far.length).toBeGreaterThan(99_000);
  expect(far[0]).toBe(numbers[0]);
});

test('formats a number as A-, eight characters without 0 O 1 I, and a check character', () => {
  expect(numbers.filter((number) => !/^A-[2-9A-HJ-NP-Z]{9}$/.test(number))).toEqual([]);
  expect(numbers.filter((number) => !holds(number))).toEqual([]);
});

test('detects each single wrong character', () => {
  const missed: string[] = [];
  for (const number of numbers.slice(0, 500)) {
    for (let place = 2; place < 11; place += 1) {
      for (const character of ALPHABET) {
        const wrong = number.slice(0, place) + character + number.slice(place + 1);
        if (wrong !== number && holds(wrong)) missed.push(`${number} as ${wrong}`);
      }
    }
  }
  expect(missed).toEqual([]);
});

test('does not reveal the number of accounts', () => {
  const rising = numbers.filter((number, index) => index > 0 && number > (numbers[index - 1] as string)).length;
  expect(rising / MANY).toBeGreaterThan(0.3);
  expect(rising / MANY).toBeLessThan(0.7);
  expect(new Set(numbers.slice(0, 200).map((number) => number.slice(2, 4))).size).toBeGreaterThan(100);
});

test('gives accounts the next number automatically', async () => {
  const { rows } = await client.query(
    `select column_default from information_schema.columns where table_name = 'account' and column_name = 'number'`,
  );
  expect(rows).toEqual([{ column_default: 'account_number(next_account_serial())' }]);
});

test('gives no number outside the reserved range, nor from a database that did not reserve it', async () => {
  const next = (of: string) =>
    client.query(`select ${of}()`).then(
      ({ rows: [row] }) => Number(row[of]),
      ({ code }: { code: string }) => code,
    );
  const both = async () => [typeof (await next('next_account_serial')), typeof (await next('next_business_id'))];
  expect(await both()).toEqual(['number', 'number']);
  await client.query('begin');
  await client.query(`update number_mark set incarnation = 'another'`);
  expect(await next('next_account_serial')).toBe('GW001');
  await client.query('rollback');
  await client.query('update number_mark set account_from = account_until, business_from = business_until');
  expect([await next('next_account_serial'), await next('next_business_id')]).toEqual(['GW001', 'GW001']);
  await client.query(
    'update number_mark set account_from = 0, business_from = 0, account_until = 1, business_until = 1',
  );
  expect([await next('next_account_serial'), await next('next_business_id')]).toEqual(['GW001', 'GW001']);
});
