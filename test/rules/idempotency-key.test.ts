import { expect, test } from '@jest/globals';
import { keyInHeader, hashOfKey, hashOfRequest } from '../../src/platform/idempotency/idempotency-key.store.ts';

test.each([
  ['a bare key', '8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
  [
    'the same as a structured-field string',
    '"8e03978e-40d5-43dd-bc93-6894a57f9324"',
    '8e03978e-40d5-43dd-bc93-6894a57f9324',
  ],
  ['blanks and escapes in quotes', String.raw`"stage A \"1\" \\ 2"`, String.raw`stage A "1" \ 2`],
  ['every visible character, bare', "!#$%&'()*+,-./:;<=>?@[]^_`{|}~", "!#$%&'()*+,-./:;<=>?@[]^_`{|}~"],
  ['the longest bare key', 'k'.repeat(255), 'k'.repeat(255)],
  ['the longest key with escapes', `"${'\\"'.repeat(255)}"`, '"'.repeat(255)],
])('%s', (_name, header, key) => {
  expect(keyInHeader(header)).toBe(key);
});

test.each([
  ['nothing', ''],
  ['an empty string', '""'],
  ['a key that is too long', 'k'.repeat(256)],
  ['a quoted key that is too long', `"${'k'.repeat(256)}"`],
  ['a blank in a bare key', 'stage A-1'],
  ['two headers, as Node joins them', 'one, two'],
  ['two texts', '"one", "two"'],
  ['an unterminated string', '"one'],
  ['an invalid escape', String.raw`"a\b"`],
  ['parameters', '"one";a=1'],
  ['a control character', '"a\tb"'],
  ['characters beyond ASCII', '"clé"'],
  ['characters beyond ASCII, bare', 'clé'],
])('rejects the key %s', (_name, header) => {
  expect(keyInHeader(header)).toBeUndefined();
});

test('separates keys by set of import suppliers, in any order', () => {
  const hash = (codes: string[], key: string) => hashOfKey(new Set(codes), key).toString('hex');
  expect(hash(['A', 'B'], 'k')).toBe(hash(['B', 'A'], 'k'));
  expect(
    new Set([hash(['A', 'B'], 'k'), hash(['A'], 'k'), hash([], 'k'), hash(['A'], 'l'), hash(['A', 'B,k'], '')]).size,
  ).toBe(5);
});

test('identifies a request by method, path, query and body, ignoring a trailing slash', () => {
  const request = { method: 'POST', path: '/v1/a/', query: 'b=1', body: Buffer.from('{}') };
  const hash = (other: Partial<typeof request> = {}) => hashOfRequest({ ...request, ...other }).toString('hex');
  expect(hash({ path: '/v1/a' })).toBe(hash());
  const others = [{ method: 'PUT' }, { path: '/v1/b/' }, { query: 'b=2' }, { query: '' }, { body: Buffer.from('{ }') }];
  expect(new Set([hash(), ...others.map((other) => hash(other))]).size).toBe(6);
});
