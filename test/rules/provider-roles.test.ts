import { expect, test } from '@jest/globals';
import { roleIn } from '../../src/support-site/sign-in/provider-roles.rules.ts';

const NAMES = 'viewer=support; operator=gangway=operators; supplier=supplier-*-people; supplier=group-*';

test.each([
  ['support', { role: 'viewer' }],
  [['support', 'gangway=operators'], { role: 'operator' }],
  [['supplier-ACME-people'], { role: 'supplier', importSuppliers: ['ACME'] }],
  [['supplier-B-people', 'group-A', 'group-B'], { role: 'supplier', importSuppliers: ['B', 'A'] }],
  [['supplier-ACME-people', 'support'], { role: 'viewer' }],
  ['supplier--people', undefined],
  ['supplier-people', undefined],
  ['group-', undefined],
  ['group-*', { role: 'supplier', importSuppliers: ['*'] }],
  [['supplier', 'supplier-*', null, 7, ['group-A'], { role: 'operator' }], undefined],
  [undefined, undefined],
  ['', undefined],
])('reads the claim %j', (claim, role) => {
  expect(roleIn(claim, NAMES)).toEqual(role);
});
