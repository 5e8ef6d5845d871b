import { expect, test } from '@jest/globals';
import {
  credentialIn,
  isTokenRefusal,
  refusalOfRefreshToken,
  tokenRefusals,
} from '../../src/access/tokens/obtain-token.rules.ts';
import {
  isSecret,
  LIFE_SECONDS,
  SECRET_BYTES,
  tokenInHeader,
  writeSecret,
  type SecretKind,
} from '../../src/access/tokens/token.rules.ts';

const random = Buffer.alloc(SECRET_BYTES, 0xab);
const secret = (kind: SecretKind) => writeSecret(kind, random);

test.each<[SecretKind, string]>([
  ['key', 'gwk_'],
  ['access', 'gwa_'],
  ['refresh', 'gwr_'],
])('creates a secret of kind %s that starts with %s and has 256 bits', (kind, prefix) => {
  const written = secret(kind);
  expect(written.startsWith(prefix)).toBe(true);
  expect(Buffer.from(written.slice(prefix.length), 'base64url')).toEqual(random);
  expect(isSecret(kind, written)).toBe(true);
});

test.each<[string, SecretKind, string]>([
  ['another kind', 'access', secret('key')],
  ['one character less', 'key', secret('key').slice(0, -1)],
  ['one character more', 'key', `${secret('key')}A`],
  ['a foreign character', 'key', `${secret('key').slice(0, -1)}+`],
  ['a trailing line break', 'key', `${secret('key')}\n`],
  ['nothing', 'refresh', ''],
])('rejects %s as a secret of another kind', (_why, kind, text) => {
  expect(isSecret(kind, text)).toBe(false);
});

test.each<[string, string, boolean]>([
  ['the exact form', `Token ${secret('access')}`, true],
  ['the scheme of OAuth', `Bearer ${secret('access')}`, true],
  ['another scheme', `Basic ${secret('access')}`, false],
  ['small letters', `token ${secret('access')}`, true],
  ['capitals', `TOKEN ${secret('access')}`, true],
  ['two blanks', `Token  ${secret('access')}`, false],
  ['a trailing blank', `Token ${secret('access')} `, false],
  ['the bare token', secret('access'), false],
  ['an API key', `Token ${secret('key')}`, false],
  ['a refresh token', `Token ${secret('refresh')}`, false],
  ['the scheme alone', 'Token ', false],
])('header with %s', (_what, header, isGood) => {
  expect(tokenInHeader(header)).toBe(isGood ? secret('access') : undefined);
});

test('issues tokens for 60 minutes, and refresh tokens for a session of 12 hours', () => {
  expect(LIFE_SECONDS).toEqual({ access: 3_600, refresh: 43_200 });
});

test.each([
  ['the key', { APIKey: secret('key') }, { kind: 'key', secret: secret('key') }],
  ['the key of an organisation', { organizationSecretKey: secret('key') }, { kind: 'key', secret: secret('key') }],
  ['a refresh token', { refreshToken: secret('refresh') }, { kind: 'refresh', secret: secret('refresh') }],
  ['a key beside nulls', { APIKey: secret('key'), refreshToken: null }, { kind: 'key', secret: secret('key') }],
  ['nothing', {}, 'one_input_expected'],
  ['two', { APIKey: secret('key'), refreshToken: secret('refresh') }, 'one_input_expected'],
  ['two names of the key', { APIKey: secret('key'), organizationSecretKey: secret('key') }, 'one_input_expected'],
  ['an empty key', { APIKey: '' }, 'key_refused'],
  ['a refresh token as key', { APIKey: secret('refresh') }, 'key_refused'],
  ['a key as refresh token', { refreshToken: secret('key') }, 'refresh_token_refused'],
])('input with %s', (_what, input, outcome) => {
  expect(credentialIn(input)).toEqual(outcome);
});

test.each([
  ['unknown', undefined, 'refresh_token_refused'],
  ['fresh', { isExpired: false, wasUsed: false, keyIsRevoked: false }, undefined],
  ['used', { isExpired: false, wasUsed: true, keyIsRevoked: false }, 'refresh_token_refused'],
  ['of a revoked key', { isExpired: false, wasUsed: false, keyIsRevoked: true }, 'refresh_token_refused'],
  ['expired', { isExpired: true, wasUsed: false, keyIsRevoked: false }, 'refresh_token_expired'],
])('a refresh token that is %s', (_state, stored, refusal) => {
  expect(refusalOfRefreshToken(stored)).toBe(refusal);
});

test('distinguishes every refusal from a result, with its own code', () => {
  expect(Object.keys(tokenRefusals).every(isTokenRefusal)).toBe(true);
  expect(isTokenRefusal({ keyId: 'x' })).toBe(false);
  const codes = Object.values(tokenRefusals).map(({ errorCode }) => errorCode);
  expect(new Set(codes).size).toBe(codes.length);
});
