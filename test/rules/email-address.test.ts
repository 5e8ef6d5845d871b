import { expect, test } from '@jest/globals';
import isEmailModule from 'validator/lib/isEmail.js';
import { isEmailAddress } from '../../src/platform/validation/keywords.ts';
import fc from '../support/random-seed.ts';

const isEmail = isEmailModule as unknown as (text: string) => boolean;

test.each([
  'anne.martin@example.fr',
  'ANNE@EXAMPLE.FR',
  'jean.pierre.martin@example.fr',
  'a.b.c.d@example.fr',
  `${'a'.repeat(20)}.${'b'.repeat(20)}.${'c'.repeat(20)}@example.fr`,
  `${'a'.repeat(21)}.${'b'.repeat(21)}.${'c'.repeat(20)}@example.fr`,
  `${'a'.repeat(22)}.${'b'.repeat(21)}.${'c'.repeat(20)}@example.fr`,
  'a+b_c-d@mail.example.co.uk',
  'x@sub-domain.example',
  'jean..martin@example.fr',
  '.jean@example.fr',
  'jean.@example.fr',
  'jean@example',
  'jean@-example.fr',
  'jean@example-.fr',
  'jean@example.f',
  'jean@example.123',
  'jean@exa_mple.fr',
  `${'a'.repeat(64)}@example.fr`,
  `${'a'.repeat(65)}@example.fr`,
  `a@${'b'.repeat(63)}.fr`,
  `a@${'b'.repeat(64)}.fr`,
  'jean@xn--bcher-kva.example',
  'jéan@exämple.fr',
  'jean@example.fr\n',
  'jean@example.fr.',
  '"jean martin"@example.fr',
  'jean@',
])('validates an e-mail address like the package: %j', (text) => {
  expect(isEmailAddress(text)).toBe(isEmail(text));
});

test('accepts and rejects random addresses like the package', () => {
  const piece = fc.string({ unit: fc.constantFrom(...'aZ9.-_+@é \n"'), maxLength: 40 });
  const address = fc
    .tuple(piece, fc.constantFrom('@', ''), piece, fc.constantFrom('', '.fr', '.example.com', '.x-y.org'))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(address, (text) => isEmailAddress(text) === isEmail(text)),
    { numRuns: 20_000 },
  );
});

test('rejects half of a surrogate pair in an e-mail address', () => {
  expect(isEmailAddress('jean\ud800@example.fr')).toBe(false);
});
