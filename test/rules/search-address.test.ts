import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { isPlainNumber } from '../../src/search/search.rules.ts';
import { opened, sealed } from '../../src/support-site/frame/sealed-text.ts';

test.each([
  ['25012345678901', true],
  [' HOME-00004711 ', true],
  ['A-7KQ2M9XDT', true],
  ['GI123456', true],
  ['4711', true],
  ['019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f', true],
  ['Zeller', false],
  ['Noémie Zeller', false],
  ['noemie.zeller.1@example.org', false],
  ['+33612345678', false],
  ['0612345678', false],
  ['06 12 34 56 78', false],
  ['12 rue du Port', false],
])('writes %j in an address as %j', (typed, isPlain) => {
  expect(isPlainNumber(typed)).toBe(isPlain);
});

test('decrypts a sealed term only with the same secret, and not if a byte was changed', () => {
  const secret = randomBytes(32);
  const text = sealed('Noémie Zeller', secret);
  expect(text).toMatch(/^[\w-]+$/);
  expect(opened(text, secret)).toBe('Noémie Zeller');
  expect(sealed('Noémie Zeller', secret)).not.toBe(text);
  expect(opened(text, randomBytes(32))).toBeUndefined();
  const bytes = Buffer.from(text, 'base64url');
  bytes[14]! ^= 1;
  expect(opened(bytes.toString('base64url'), secret)).toBeUndefined();
  for (const other of ['', 'x', 'A'.repeat(40)]) expect(opened(other, secret)).toBeUndefined();
});
