import { describe, expect, test } from '@jest/globals';
import fc from '../support/random-seed.ts';
import { parseJsonBody, describeJsonFault } from '../../src/platform/http/json-body.ts';
import { holdsBadText, findTooDeep, NESTING_MAX } from '../../src/platform/validation/bad-text.ts';
import { isRefused } from '../../src/vocabulary/refusals.ts';

const parse = (text: string | Uint8Array) => parseJsonBody(Buffer.from(text as string));
const valueOf = (text: string) => {
  const parsed = parse(text);
  if (isRefused(parsed)) throw new Error('refused');
  return parsed.value;
};

describe('numbers', () => {
  test.each([
    '0',
    '-0',
    '1',
    '-1.5',
    '123456789012345',
    '0.123456789012345',
    '0.000000000000001',
    '1.00',
    '-999999999999999',
  ])('reads %s as an ordinary number', (literal) => {
    expect(valueOf(`[${literal}]`)).toEqual([Number(literal)]);
  });

  test.each([
    '1234567890123456',
    '0.1234567890123456',
    '1e5',
    '1E5',
    '-1e-5',
    '1.5e+3',
    '1e400',
    '123456789012345678901234567890',
    '-0.00000000000000000000012345678901234567',
  ])('keeps the text of %s', (literal) => {
    for (const text of [
      `[${literal}]`,
      `{"a":${literal}}`,
      `{"a" : \n\t${literal} }`,
      `[0,${literal}]`,
      `[[0, ${literal}]]`,
    ]) {
      const json = JSON.stringify(valueOf(text));
      expect(json).toContain(literal);
      expect(json).toBe(text.replaceAll(/\s/g, ''));
    }
  });

  test('keeps a string that looks like such a number', () => {
    expect(valueOf('{"a":"[1e400,1234567890123456789","1e9":["\\"1e400"]}')).toEqual({
      a: '[1e400,1234567890123456789',
      '1e9': ['"1e400'],
    });
  });

  test('reads any JSON like JSON.parse, and writes what was sent unless a literal has another form', () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false }), (text) => {
        const value = valueOf(text);
        expect(JSON.parse(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(JSON.parse(text))));
      }),
    );
  });
});

describe('reads numbers in a text of any length', () => {
  test('reads one long number among many small ones fast', () => {
    const text = `[1e5${',1'.repeat(99_000)}]`;
    const plain = JSON.parse;
    const revivers: unknown[] = [];
    JSON.parse = (json, reviver) => {
      revivers.push(reviver);
      return plain(json, reviver);
    };
    try {
      valueOf(text);
    } finally {
      JSON.parse = plain;
    }
    // A reviver, called for each value, took a hundred times as long.
    expect(revivers).toEqual([undefined, undefined]);
  });

  test('converts each number literal to a double without loss, or keeps its text', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 40 });
    const literal = fc
      .tuple(fc.constantFrom('', '-'), digits, fc.option(digits), fc.option(fc.integer({ min: -500, max: 500 })))
      .map(
        ([sign, whole, decimals, exponent]) =>
          `${sign}${BigInt(whole)}${decimals === null ? '' : `.${decimals}`}${exponent === null ? '' : `e${exponent}`}`,
      );
    fc.assert(
      fc.property(fc.array(literal, { minLength: 1 }), (literals) => {
        for (const [index, value] of (valueOf(`{"a":[${literals.join(' , ')}]}`) as { a: unknown[] }).a.entries()) {
          const sent = literals[index] as string;
          if (JSON.isRawJSON(value)) expect(value.rawJSON).toBe(sent);
          else expect(significant(String(sent))).toBeLessThanOrEqual(15);
        }
      }),
    );
  });
});

function significant(literal: string): number {
  expect(literal).not.toMatch(/e/i);
  return literal.replace('-', '').replace('.', '').replace(/^0+/, '').length;
}

describe('objects', () => {
  test('treats __proto__ as an ordinary member, also beside numbers that keep their text', () => {
    for (const text of ['{"__proto__":{"a":1}}', '{"__proto__":{"a":1e400}}', '{"__proto__":1e400,"b":1}']) {
      const value = valueOf(text) as object;
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(Object.keys(value)).toContain('__proto__');
      expect(JSON.stringify(value)).toBe(text);
    }
  });

  test('rejects two members of one name', () => {
    for (const text of [
      '{"a":1e400,"a":{"b":5}}',
      '{"a":{"b":5},"a":1e400}',
      '{"2":1e2,"1":1e1,"__proto__":1e3,"__proto__":[1e4]}',
    ]) {
      expect(parse(text)).toMatchObject({
        code: 'parse_error',
        detail: expect.stringContaining('a second member with this name'),
      });
    }
  });

  test('finds duplicates in any object, and only those', () => {
    const name = fc.oneof(
      fc.string({ maxLength: 3 }),
      fc.string({ unit: 'binary', maxLength: 3 }),
      fc.constantFrom('a', 'b', '__proto__', '\ud800', 'é', '"', '\\'),
    );
    const escaped = (text: string) =>
      `"${Array.from({ length: text.length }, (_, index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`).join('')}"`;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(name, fc.boolean()), { maxLength: 60 }),
        fc.constantFrom('1', '{"a":1}', '[{"b":[]}]', '"a\\",\\"b"'),
        (names, value) => {
          const text = `{${names.map(([one, isEscaped]) => `${isEscaped ? escaped(one) : JSON.stringify(one)}:${value}`).join(',')}}`;
          expect(isRefused(parse(text))).toBe(new Set(names.map(([one]) => one)).size < names.length);
        },
      ),
    );
  });
});

describe('a plain body, which needs no second scan', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  test.each([
    [true, 'a string of many scripts', '{"a":"Ω 号 😀 é"}'],
    [true, 'as many levels as accepted', nested(NESTING_MAX)],
    [false, 'one level too many', nested(NESTING_MAX + 1)],
    [false, 'an escape', '{"a":"\\u0000"}'],
    [false, 'an escape in a name', '{"\\ud800":1}'],
    [false, 'a number whose text is kept', '[1e999]'],
  ])('%p: %s', (isPlain, _name, text) => {
    expect(parse(text)).toMatchObject({ isPlain });
  });

  test('finds unpaired surrogates and deep nesting, whatever bytes surround them', () => {
    const bytes = fc.constantFrom<number[]>(
      ...['x', '"', '"}', ',"b":"', '[', ']', '{"a":', '}', '\\', '\\u0000', '\\ud800', '\0', '1e999', '😀'].map(
        (text) => [...Buffer.from(text)],
      ),
      // Half of a surrogate pair and U+0000 in invalid UTF-8.
      [0xed, 0xa0, 0x80],
      [0xc0, 0x80],
    );
    const body = fc.oneof(
      fc
        .array(bytes, { maxLength: 8 })
        .map((parts) => Buffer.from([...Buffer.from('{"a":"'), ...parts.flat(), ...Buffer.from('"}')])),
      fc.integer({ min: 1, max: NESTING_MAX + 2 }).map((levels) => Buffer.from(nested(levels))),
      fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value))),
    );
    let plain = 0;
    fc.assert(
      fc.property(body, (drawn) => {
        const parsed = parse(drawn);
        if (isRefused(parsed) || !parsed.isPlain) return;
        plain += 1;
        expect(holdsBadText(parsed.value)).toBe(false);
        expect(findTooDeep(parsed.value)).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
    expect(plain).toBeGreaterThan(100);
  });
});

describe('faults', () => {
  test.each<[string, string | Uint8Array, RegExp]>([
    ['nothing', '', /empty/],
    ['truncated JSON', '{"a":', /too early/],
    ['bytes that are not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), /UTF-8/],
    ['a missing colon', '{\n\n  "a" 1}', /line 3, column 7/],
    ['two byte order marks', '\ufeff\ufeff{}', /not valid JSON/],
  ])('explains %s in a sentence', (_name, text, detail) => {
    const parsed = parse(text);
    expect(parsed).toMatchObject({ kind: 'refused', code: 'parse_error', detail: expect.stringMatching(detail) });
  });

  test('repeats nothing that was sent', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 5, maxLength: 40 }), (text) => {
        const parsed = parse(`{"a": zzz${text}`);
        if (isRefused(parsed)) expect(parsed.detail).not.toContain('zzz');
      }),
    );
  });

  test('reads a deep text with numbers that keep their text without overflow', () => {
    expect(isRefused(parse(`${'[1e400,'.repeat(64)}1${']'.repeat(64)}`))).toBe(false);
    for (const depth of [65, 5_000, 200_000]) {
      expect(parse(`${'[1e400,'.repeat(depth)}1${']'.repeat(depth)}`)).toMatchObject({
        code: 'validation_failed',
        violations: [{ code: 'max_depth' }],
      });
    }
  });

  test('reads a megabyte of anything as fast as JSON.parse', () => {
    for (const text of [
      '1'.repeat(1_000_000),
      `[${'1'.repeat(999_998)}]`,
      `[${Array.from({ length: 200_000 }, () => '1e1').join(',')}]`,
      `${' '.repeat(999_998)}1e`,
      `[${' '.repeat(500_000)},`,
      `"${'[1'.repeat(499_000)}"`,
      `"${':1.'.repeat(330_000)}"`,
    ]) {
      const begun = performance.now();
      parse(text);
      expect(performance.now() - begun).toBeLessThan(20_000);
    }
  });
});

const PIECES = [
  '{',
  '}',
  '[',
  ']',
  ':',
  ',',
  '"',
  '"a"',
  '1',
  '-',
  '01',
  '1.5e3',
  '1.',
  'true',
  'nul',
  ' ',
  '\n',
  '\t',
  '\\',
  '\\u12',
  "'",
  '\u0000',
  'é',
  '😀',
];

describe('the place of a fault', () => {
  const detailOf = (text: string) => (parse(text) as { detail?: string }).detail;

  test('reports a place exactly for texts that JSON.parse rejects', () => {
    const pieces = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 });
    const cut = fc
      .tuple(
        fc.json({ noUnicodeString: false }),
        fc.nat(),
        fc.nat({ max: 3 }),
        fc.constantFrom('', ',', '"', ']', '0', 'x'),
      )
      .map(
        ([text, at, length, other]) =>
          text.slice(0, at % text.length) + other + text.slice((at % text.length) + length),
      );
    fc.assert(
      fc.property(
        fc.oneof(
          pieces.map((parts) => parts.join('')),
          cut,
          fc.string(),
        ),
        (text) => {
          let isJson = text.isWellFormed() && !text.startsWith('\ufeff');
          try {
            JSON.parse(text);
          } catch {
            isJson = false;
          }
          fc.pre(text !== '' && text.isWellFormed() && !text.startsWith('\ufeff'));
          if (isJson) expect(describeJsonFault(text)).toBeUndefined();
          else expect(detailOf(text)).toMatch(/: line [1-9]\d*, column [1-9]\d*: ./);
        },
      ),
      { numRuns: 5_000 },
    );
  });

  test('finds the place in a text that is nested without end, and in one of many bad characters', () => {
    expect(detailOf('['.repeat(32))).toMatch(/column 33: .*ends too early/);
    expect(detailOf(`"${'x'.repeat(1_000_000)}`)).toMatch(/column 1: .*closing quote/);
    expect(
      (
        parseJsonBody(Buffer.concat([Buffer.from('\ufffd'.repeat(300_000)), Buffer.from([0xff])])) as {
          detail?: string;
        }
      ).detail,
    ).toMatch(/column 300001: .*UTF-8/);
  });
});
