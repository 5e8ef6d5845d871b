import { expect, test } from '@jest/globals';
import { MASK, withoutContactData } from '../../src/access/people/contact-data.rules.ts';

test('masks contact data and the values of business details at every depth, except empty ones', () => {
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
      payload: {
        business: { siret: '60487647400049', details },
        customers: [{ email: 'a@b.example', mobile: null, landline: '' }],
      },
    },
  };
  const shown = {
    account: { business_details: hidden, metadata: [{ key: 'wave', value: '3' }] },
    import_process: {
      payload: {
        business: { siret: '60487647400049', details: hidden },
        customers: [{ email: MASK, mobile: null, landline: '' }],
      },
    },
  };
  expect(JSON.parse(withoutContactData(JSON.stringify(view)))).toEqual(shown);
  expect(JSON.parse(withoutContactData(JSON.stringify(view, null, 2)))).toEqual(shown);
});

test.each([
  ['{"email":"a \\"quoted\\", [x] {y} \\\\"}', `{"email":"${MASK}"}`],
  ['{"email" : ["a@b.example",{"to":"c"}] , "n":1}', `{"email" : "${MASK}" , "n":1}`],
  ['{"mobile":33612345678,"n":1.50}', `{"mobile":"${MASK}","n":1.50}`],
  [
    '{"details":{"value":{"name":"Ada"},"deep":[{"value":1}]},"value":2}',
    `{"details":{"value":"${MASK}","deep":[{"value":"${MASK}"}]},"value":2}`,
  ],
  [
    '{"details":[{"details":[{"value":1}]},{"value":2}]}',
    `{"details":[{"details":[{"value":"${MASK}"}]},{"value":"${MASK}"}]}`,
  ],
  ['{"note":"the \\"email\\": a@b.example","list":["email","value"],"exact":12345678901234567890.50}', undefined],
  ['{"date_of_birth" : null}', undefined],
])('shows %s as %s', (json, shown = json) => {
  expect(withoutContactData(json)).toBe(shown);
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
])('shows a change at %j of %j as %j', (path, value, shown) => {
  expect(JSON.parse(withoutContactData(JSON.stringify(value), path))).toEqual(shown);
});
