import { expect, test } from '@jest/globals';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { readPhoneNumber } from '../../src/account-import/validate/phone-number.rules.ts';

/** A number as the library alone reads it. */
function readByLibrary(text: string): string | undefined {
  const number = parsePhoneNumberFromString(text, { defaultCountry: 'FR', extract: false });
  return number?.isValid() ? number.number : undefined;
}

test('validates every beginning of a French number like the library', () => {
  const differing: string[] = [];
  let valid = 0;
  // The first five digits determine the kind of line.
  for (let start = 10_000; start <= 99_999; start += 1) {
    const digits = `${start}${String((start * 7_919) % 10_000).padStart(4, '0')}`;
    const read = readPhoneNumber(`+33${digits}`);
    if (read !== undefined) valid += 1;
    // Reserved for fiction; the library rejects it.
    if (start === 63_998) expect(read).toBe(`+33${digits}`);
    else if (read !== readByLibrary(`+33${digits}`)) differing.push(digits);
  }
  expect(differing).toEqual([]);
  expect(valid).toBeGreaterThan(50_000);
});

test.each([
  ['0639981234', '+33639981234'],
  ['06 39 98 12 34', '+33639981234'],
  ['+33 6 39 98 00 00', '+33639980000'],
  ['(+33) 6 39 98 00 00', '+33639980000'],
  ['0033639980000', '+33639980000'],
  ['01 99 00 12 34', '+33199001234'],
  ['02 61 91 12 34', '+33261911234'],
  ['03 53 01 12 34', '+33353011234'],
  ['04 65 71 12 34', '+33465711234'],
  ['05 36 49 12 34', '+33536491234'],
  ['(+33) 6 12 34 56 78', '+33612345678'],
  ['(+33)612345678', '+33612345678'],
  ['(+262) 692 12 34 56', '+262692123456'],
  ['0692 12 34 56', '+262692123456'],
  ['06 92 12 34 56', '+262692123456'],
  ['0262 20 12 34', '+262262201234'],
  ['0639 01 23 45', '+262639012345'],
  ['0269 61 12 34', '+262269611234'],
  ['0690 00 12 34', '+590690001234'],
  ['0590 20 12 34', '+590590201234'],
  ['0694 20 12 34', '+594694201234'],
  ['0594 30 12 34', '+594594301234'],
  ['0696 20 12 34', '+596696201234'],
  ['0596 30 12 34', '+596596301234'],
  ['0692/12/34/56', '+262692123456'],
  ['0709 20 12 34', '+262709201234'],
  ['0709 35 12 34', '+262709351234'],
  ['07 09 01 12 34', '+590709011234'],
  ['0709301234', '+594709301234'],
  ['0709 10 12 34', '+596709101234'],
  ['0708 40 12 34', '+508708401234'],
  ['06\u202f12\u202f34\u202f56\u202f78', '+33612345678'],
  ['+33\u00a06\u200912\u00a034\u00a056\u00a078', '+33612345678'],
  ['\u202a+33612345678\u202c', '+33612345678'],
  ['\u200e0709301234', '+594709301234'],
])('reads %j as %s: fiction, brackets and the overseas departments', (text, normal) => {
  expect(readPhoneNumber(text)).toBe(normal);
});

test.each(['(+33) 12', '0692 12 34', '+33 06 39 98 12', '(+999) 6 12 34 56 78'])('rejects %j', (text) => {
  expect(readPhoneNumber(text)).toBeUndefined();
});

test.each([
  '+33612345678',
  '+33 6 12 34 56 78',
  '+33-6-12-34-56-78',
  '0612345678',
  '06 12 34 56 78',
  '06.12.34.56.78',
  '06-12-34-56-78',
  '0 6 12 34 56 78',
  '06 123456 78',
  '06 12.34-56 78',
  '06 12 34 56 7',
  '06 12 34 56 789',
  '00 12 34 56 78',
  '0033612345678',
  '+330612345678',
  '+33 (0)6 12 34 56 78',
  '+33 06 12 34 56 78',
  '06  12 34 56 78',
  '0612345678 ',
  ' 0612345678',
  '06/12/34/56/78',
  '612345678',
  '33612345678',
  '0700000000',
  '0836123456',
  '0999999999',
  '3949',
  '112',
  '+3361234567',
  '06 12 34 56 78 ext 3',
  'tel:+33612345678',
  '+33612345678;ext=3',
  '٠٦١٢٣٤٥٦٧٨',
  '06\u00a012\u00a034\u00a056\u00a078',
  '06\t12345678',
  '06\n12345678',
  '+4915112345678',
  '+596696123456',
  '+262692123456',
  '+1 212 555 2368',
  'call me',
  '+',
  '0',
  '',
])('reads %j like the library', (text) => {
  expect(readPhoneNumber(text)).toBe(readByLibrary(text));
});
