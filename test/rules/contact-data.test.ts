import { expect, test } from '@jest/globals';
import { MASK, masked, maskedAt } from '../../src/support-site/account/stored.ts';

test('contact data and the values of business details are masked at every depth, what is empty is not', () => {
  const details = [
    { key: 'contact', value: 'Ada Lovelace' },
    { key: 'fax', value: '' },
  ];
  const hidden = [
    { key: 'contact', value: MASK },
    { key: 'fax', value: '' },
  ];
  const view = {
    account: { business_details: details, metadata: [{ key: 'wave', value: '3' }] },
    import_process: {
      payload: { business: { siret: '60487647400049', details }, customers: [{ email: 'a@b.example' }] },
    },
  };
  expect(masked(view)).toEqual({
    account: { business_details: hidden, metadata: [{ key: 'wave', value: '3' }] },
    import_process: {
      payload: { business: { siret: '60487647400049', details: hidden }, customers: [{ email: MASK }] },
    },
  });
});

test.each([
  [['customers', '0', 'email'], 'a@b.example', MASK],
  [['customers', '0', 'email'], null, null],
  [['customers', '0'], { email: 'a@b.example', title: 'Dr' }, { email: MASK, title: 'Dr' }],
  [['business', 'details', '0', 'value'], 'Ada Lovelace', MASK],
  [['business', 'details', '0', 'key'], 'contact', 'contact'],
  [['business', 'details', '0'], { key: 'contact', value: 'Ada' }, { key: 'contact', value: MASK }],
  [['business'], { details: [{ key: 'contact', value: 'Ada' }] }, { details: [{ key: 'contact', value: MASK }] }],
  [['metadata', '0', 'value'], '3', '3'],
])('a change at %j of %j is shown as %j', (path, value, shown) => {
  expect(maskedAt(path, value)).toEqual(shown);
});
