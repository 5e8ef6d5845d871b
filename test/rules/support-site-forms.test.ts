import { expect, test } from '@jest/globals';
import { isFormToken, isFromThisSite, maskedToken, pathWithin } from '../../src/support-site/frame/form-checks.ts';
import { leastRoleFor, mayDo } from '../../src/vocabulary/operator-actions.ts';
import { personRoles, reaches } from '../../src/vocabulary/person-roles.ts';
import { membersOf } from '../../src/vocabulary/value-sets.ts';

const HERE = { origin: 'http://site.example:8090', fetchSite: 'same-origin', host: 'site.example:8090' };

test.each([
  ['of our page', HERE, undefined, true],
  ['of a browser that does not send its site', { ...HERE, fetchSite: '' }, undefined, true],
  ['of our page behind a proxy', { ...HERE, host: 'inner' }, 'http://site.example:8090', true],
  ['of another port', { ...HERE, origin: 'http://site.example:9000' }, undefined, false],
  ['of another site', { ...HERE, origin: 'https://elsewhere.example' }, undefined, false],
  ['of a page whose browser hides its origin', { ...HERE, origin: 'null' }, undefined, false],
  ['of a script of our page, without an origin', { ...HERE, origin: '' }, undefined, true],
  ['without a sender', { ...HERE, origin: '', fetchSite: '' }, undefined, false],
  ['of another site, without an origin', { ...HERE, origin: '', fetchSite: 'cross-site' }, undefined, false],
  ['with a cross-site header', { ...HERE, fetchSite: 'cross-site' }, undefined, false],
  ['of a sister site', { ...HERE, fetchSite: 'same-site' }, undefined, false],
  ['of the same host without TLS', HERE, 'https://site.example:8090', false],
])('a form %s', (_case, sender, ownOrigin, isOurs) => {
  expect(isFromThisSite(sender, ownOrigin)).toBe(isOurs);
});

test('accepts only the complete form token of the session', () => {
  const secret = Buffer.alloc(32, 7);
  const tokens = [maskedToken(secret), maskedToken(secret)];
  expect(tokens.map((token) => isFormToken(token, secret))).toEqual([true, true]);
  expect(tokens[0]).not.toBe(tokens[1]);
  const others = [secret.toString('base64url'), maskedToken(Buffer.alloc(32, 8)), maskedToken(secret).slice(2)];
  for (const sent of [null, '', ...others]) {
    expect({ sent, isToken: isFormToken(sent, secret) }).toEqual({ sent, isToken: false });
  }
});

test.each([
  ['/stuck?cause=a', '/stuck?cause=a'],
  [null, '/'],
  ['', '/'],
  ['https://elsewhere.example/', '/'],
  ['//elsewhere.example/', '/'],
  ['/\\elsewhere.example/', '/'],
  ['javascript:alert(1)', '/'],
  ['/\t/elsewhere.example', '/'],
  ['/.//elsewhere.example', '/'],
  ['/..//elsewhere.example/a', '/'],
  ['/%2e/\\elsewhere.example', '/'],
  ['/accounts/A/../B?c=//d', '/accounts/B?c=//d'],
])('leads from signing in %s to %s', (wanted, path) => {
  expect(pathWithin(wanted)).toBe(path);
});

test('gives each role the rights of those below it', () => {
  expect(membersOf(personRoles).map((role) => reaches(role, 'operator'))).toEqual([false, false, true, true]);
  expect(mayDo('viewer', 'look')).toBe(true);
  expect(mayDo('viewer', 'stuck.retry')).toBe(false);
  expect(mayDo('operator', 'api-key.change')).toBe(false);
  expect(mayDo('administrator', 'api-key.change')).toBe(true);
  expect(leastRoleFor('not-listed' as never)).toBe('administrator');
});
