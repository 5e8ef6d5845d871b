import { expect, test } from '@jest/globals';
import { inLanguage } from '../../src/support-site/frame/language.ts';
import { euros, labelOf, telephone } from '../../src/support-site/frame/readable.ts';

test.each([
  ['61.4', '61.40\u00A0€'],
  ['5', '5.00\u00A0€'],
  ['-1234567.5', '-1,234,567.50\u00A0€'],
  ['0.14325', '0.14325\u00A0€'],
  ['many', 'many'],
  [undefined, undefined],
])('writes the amount %p as %p', (amount, shown) => {
  expect(inLanguage('en', () => euros(amount))).toBe(shown);
});

test.each([
  ['+33744403106', '<a href="tel:+33744403106">07 44 40 31 06</a>'],
  ['+352621123456', '<a href="tel:+352621123456">+352621123456</a>'],
  ['•••', '•••'],
  ['javascript:alert(1)', 'javascript:alert(1)'],
])('writes the telephone number %s as %s', (number, shown) => {
  expect(String(telephone(number))).toBe(shown);
});

test.each([
  ['valid_from_date', 'Valid from'],
  ['mobile_e164', 'Mobile'],
  ['payment_instruction_on_another_account', 'Payment instruction on another account'],
  ['siret', 'SIRET'],
])('names the field %s %s', (name, label) => {
  expect(inLanguage('en', () => labelOf(name))).toBe(label);
});
