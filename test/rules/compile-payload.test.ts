import { describe, expect, test } from '@jest/globals';
import { Type } from 'typebox';
import fc from '../support/random-seed.ts';
import { parseJsonBody } from '../../src/platform/http/json-body.ts';
import { compilePayload } from '../../src/platform/validation/compile-payload.ts';
import { list, money, opaqueValue, requiredText, text } from '../../src/platform/validation/field-types.schema.ts';
import { isRefused } from '../../src/vocabulary/refusals.ts';
import { violation, VIOLATIONS_LISTED_MAX } from '../../src/vocabulary/violations.ts';

interface Note {
  title: string;
}

const schema = Type.Object({
  title: requiredText(5),
  pin: Type.Optional(Type.String({ minLength: 4, maxLength: 4 })),
  price: Type.Optional(money({ decimalPlacesMax: 2 })),
  pair: Type.Optional(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 })),
  lines: Type.Optional(list(Type.Object({ text: text() }))),
  free: Type.Optional(opaqueValue()),
});
const check = compilePayload<Note>(schema, (note) => [
  ...(note.title === 'ugly' ? [violation('unique', ['title'])] : []),
  ...(typeof note.title === 'number' ? [violation('unique', ['title']), violation('unique', ['free'])] : []),
]);
const faultsOf = (payload: unknown) => check(payload).violations.map(({ code, attr }) => `${code} ${attr}`);

describe('codes that no account field raises', () => {
  test.each([
    [{ title: 'a', pin: '123' }, 'min_length pin'],
    [{ title: 'a', pair: [1] }, 'min_length pair'],
    [{ title: 'a', pair: [1, 2, 3] }, 'max_length pair'],
    [{ title: 'a', price: 1.005 }, 'max_decimal_places price'],
    [{ title: 'a', price: '1.005' }, 'max_decimal_places price'],
    [{ title: 'a', price: 1e-9 }, 'max_decimal_places price'],
    [{ title: 'a', price: 0.1 + 0.2 }, 'max_digits price'],
    [{ title: 'a', pair: [1, JSON.rawJSON('1e999')] }, 'invalid pair.1'],
  ])('%j', (payload, expected) => {
    expect(faultsOf(payload)).toEqual([expected]);
  });
});

test('runs a rule beside the schema, but not at a place that the schema rejected', () => {
  expect(faultsOf({ title: 'ugly', pin: 1 })).toEqual(['unique title', 'invalid pin']);
  expect(faultsOf({ title: 7 })).toEqual(['invalid title', 'unique free']);
});

test('names limits and choices in details, and never repeats long input', () => {
  const long = 'x'.repeat(5_000);
  const [violationOfTitle] = check({ title: long }).violations;
  expect(violationOfTitle).toEqual({ code: 'max_length', attr: 'title', detail: 'At most 5 characters are allowed.' });
  expect(JSON.stringify(check({ title: 'a', price: long, pin: long, lines: long }).violations).length).toBeLessThan(
    600,
  );
});

test('shares only opaque values between copy and payload', () => {
  const sent = { title: ' a ', lines: [{ text: 'b', more: 1 }], free: { kept: ' as it is ', nothing: null } };
  const { data } = check(sent) as { data: unknown };
  expect(data).toEqual({ title: 'a', lines: [{ text: 'b' }], free: { kept: ' as it is ', nothing: null } });
  expect((data as typeof sent).free).toBe(sent.free);
  expect(sent.title).toBe(' a ');
});

test('validates a plain body like any other body', () => {
  const word = fc.string({ unit: fc.constantFrom(...'aé 1.-😀'), maxLength: 8 });
  const value = fc.oneof(
    word,
    fc.integer(),
    fc.constantFrom(null, true, 1.5, 0.125),
    fc.dictionary(word, word),
    fc.array(word),
  );
  const members = {
    title: value,
    price: value,
    lines: fc.array(fc.dictionary(fc.constantFrom('text', 'more'), value)),
    free: value,
    more: value,
  };
  let plain = 0;
  fc.assert(
    fc.property(fc.record(members, { requiredKeys: [] }), fc.boolean(), (drawn, nullMeansAbsent) => {
      const parsed = parseJsonBody(Buffer.from(JSON.stringify(drawn)));
      if (isRefused(parsed) || !parsed.isPlain) return;
      plain += 1;
      const validated = (isPlain: boolean) =>
        check.ofRequest({ body: parsed.value, isLarge: false, isPlain, yieldToEventLoop: async () => {} }, undefined, {
          nullMeansAbsent,
        });
      expect(validated(true)).toEqual(validated(false));
    }),
  );
  expect(plain).toBeGreaterThan(50);
});

test('rejects built-in names as field names when the schema is compiled', () => {
  expect(() => compilePayload(Type.Object({ constructor: Type.String() }))).toThrow('choose another');
});

test('reports unknown members of a closed object after all other violations, and drops those of an open one', () => {
  const closed = { additionalProperties: false };
  const members = {
    title: requiredText(5),
    free: Type.Optional(opaqueValue()),
    window: Type.Optional(Type.Object({ from: Type.Optional(text()) }, closed)),
    line: Type.Optional(Type.Object({ text: Type.Optional(text()) })),
  };
  const checkClosed = compilePayload(Type.Object(members, closed));
  const found = (payload: unknown) => {
    const { violations, truncated } = checkClosed(payload);
    return { faults: violations.map(({ code, attr }) => `${code} ${attr}`), truncated };
  };
  expect(found({ title: 'a', line: { more: 1 } })).toEqual({ faults: [], truncated: false });
  expect(found({ tilte: 1, window: { form: 1 } })).toEqual({
    faults: ['required title', 'invalid tilte', 'invalid window.form'],
    truncated: false,
  });
  const deep = JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`) as unknown;
  expect(found({ free: deep, more: 1 }).faults).toEqual([expect.stringContaining('max_depth free'), 'invalid more']);
  const many = Object.fromEntries(Array.from({ length: VIOLATIONS_LISTED_MAX }, (_, index) => [`more${index}`, 1]));
  for (const known of [{ title: 'a', more: 1 }, { title: 'too long' }, { free: deep }]) {
    const { faults, truncated } = found({ ...many, ...known });
    expect([faults.length, truncated]).toEqual([VIOLATIONS_LISTED_MAX, true]);
  }
});
