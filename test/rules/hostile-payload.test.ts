import { describe, expect, test } from '@jest/globals';
import { checkAccount } from '../../src/account-import/validate/account-payload.validation.ts';
import { VIOLATIONS_LISTED_MAX } from '../../src/vocabulary/violations.ts';
import { domesticAccount } from '../support/account-payload.ts';

const facts = { today: '2026-11-21', supplierCodes: new Set(['BOREAL']) };
// Far above the time on a busy machine; quadratic work takes minutes.
const TIME_LIMIT_MS = 20_000;

/** Validates a text as the HTTP layer would parse it, and measures the time. */
function validateTimed(text: string) {
  const input: unknown = JSON.parse(text);
  const begun = performance.now();
  const result = checkAccount(input, facts);
  return { ...result, milliseconds: performance.now() - begun };
}

/** The account of a household as JSON, with one more member. */
function accountWith(member: string): string {
  return `{${member},${JSON.stringify(domesticAccount()).slice(1)}`;
}

const many = (text: string, count: number) => Array.from({ length: count }, () => text).join(',');
const opened = (levels: number) => '{"a":'.repeat(levels);

describe('nesting', () => {
  const opaque = (levels: number) => `{"metadata":[{"key":"a","value":${opened(levels)}1${'}'.repeat(levels)}}]}`;
  const depthFaults = (text: string) =>
    validateTimed(text)
      .violations.filter(({ code }) => code === 'max_depth')
      .map(({ attr }) => attr);

  test.each([
    ['32 levels in all', opaque(29), []],
    ['33 levels', opaque(30), ['metadata.0.value']],
    ['20,000 objects in an opaque value', opaque(20_000), ['metadata.0.value']],
    ['20,000 objects in an undocumented member', `{"x":${opened(20_000)}1${'}'.repeat(20_000)}}`, ['non_field_errors']],
    ['20,000 lists', `${'['.repeat(20_000)}${']'.repeat(20_000)}`, ['non_field_errors']],
  ])('%s', (_name, text, expected) => {
    expect(depthFaults(text)).toEqual(expected);
  });
});

describe('answers many violations in time, listed up to the limit', () => {
  const points = (point: string, count: number) => `"supply_addresses":[{"supply_points":[${many(point, count)}]}]`;
  test.each([
    ['addons of a wrong type', `{${points(`{"agreements":[{"addons":[${many('{"band":1}', 9_000)}]}]}`, 11)}}`],
    ['empty supply points', `{"supply_addresses":[${many(`{"supply_points":[${many('{}', 9_999)}]}`, 33)}]}`],
    ['zero amounts', `{${points(`{"payment_schedules":[${many('{"amount":0}', 9_000)}]}`, 9)}}`],
    ['numbers for addresses', `{"supply_addresses":[${many('1', 400_000)}]}`],
    ['phone numbers', `{"customers":[${many('{"mobile":"+33","landline":"x"}', 30_000)}]}`],
    [
      'unknown terms',
      `{"account_type":"BUSINESS","account_contracts":[{"versions":[${many(`{"terms":[${many('{"term_type":"x"}', 9_000)}]}`, 6)}]}]}`,
    ],
    [
      'U+0000 in metadata',
      `{"metadata":[{"key":"a","value":{"x":[${many('"\\u0000"', 100_000)}]}},{"key":"b","value":{"x":[${many('"\\u0000"', 50_000)}]}}]}`,
    ],
  ])('%s', (_name, text) => {
    const { violations, truncated, milliseconds } = validateTimed(text);
    expect(violations).toHaveLength(VIOLATIONS_LISTED_MAX);
    expect(truncated).toBe(true);
    expect(milliseconds).toBeLessThan(TIME_LIMIT_MS);
  });
});

describe('spends no time on members that are dropped or only measured', () => {
  test.each([
    ['80,000 undocumented members', `${Array.from({ length: 80_000 }, (_, index) => `"k${index}":1`).join(',')}`],
    ['a list of 400,000 items in an undocumented member', `"x":[${many('[]', 400_000)}]`],
    ['a member named __proto__', '"__proto__":{"customers":[]}'],
  ])('%s', (_name, member) => {
    const { violations, data: account, milliseconds } = validateTimed(accountWith(member));
    expect(violations).toEqual([]);
    expect(account).toEqual(domesticAccount());
    expect(milliseconds).toBeLessThan(TIME_LIMIT_MS);
  });

  test.each([
    ['billing_address1', 'x'.repeat(1_000_000), 'max_length'],
    ['billing_address2', ' \n'.repeat(500_000), undefined],
    ['import_supplier', 'a.'.repeat(500_000), 'max_length'],
  ])('a long string in %s', (field, value, code) => {
    const { violations, milliseconds } = validateTimed(JSON.stringify({ ...domesticAccount(), [field]: value }));
    expect(violations.map((found) => found.code)).toEqual(code === undefined ? [] : [code]);
    expect(milliseconds).toBeLessThan(TIME_LIMIT_MS);
  });

  test('reads a long list until it is known to be too long', () => {
    const { violations } = validateTimed(
      JSON.stringify({
        ...domesticAccount(),
        account_campaigns: Array.from({ length: 50_000 }, (_, index) => ({ slug: `s${index}` })),
      }),
    );
    expect(violations.map(({ code, attr }) => `${code} ${attr}`)).toEqual(['max_length account_campaigns']);
  });
});
