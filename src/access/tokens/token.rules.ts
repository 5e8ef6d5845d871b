/**
 * The form and life of secrets. Every secret is 256 random bits in base64url behind a prefix that identifies its kind to people,
 * logs and secret scanners.
 */
export type TokenKind = 'access' | 'refresh';
export type SecretKind = 'key' | 'session' | TokenKind;

const PREFIXES: Record<SecretKind, string> = { key: 'gwk_', session: 'gws_', access: 'gwa_', refresh: 'gwr_' };
const FORMS: Record<SecretKind, RegExp> = {
  key: /^gwk_[A-Za-z0-9_-]{43}$/,
  session: /^gws_[A-Za-z0-9_-]{43}$/,
  access: /^gwa_[A-Za-z0-9_-]{43}$/,
  refresh: /^gwr_[A-Za-z0-9_-]{43}$/,
};

export const SECRET_BYTES = 32;
/** Characters of a key that are stored in the clear, prefix included: they identify the key, and 208 bits stay secret. */
export const SECRET_START_LENGTH = 12;

/** How long a session lasts at the longest: who uses a key logs in with it at least twice a day. */
const SESSION_SECONDS = 12 * 3_600;
/** How long a token may be used; none outlives its session. */
export const LIFE_SECONDS: Record<TokenKind, number> = { access: 3_600, refresh: SESSION_SECONDS };

// The scheme may be written in any case of letters (RFC 9110, 11.1).
const SCHEME = /^token /i;

/** Writes random bytes as a secret. */
export function writeSecret(kind: SecretKind, random: Buffer): string {
  return PREFIXES[kind] + random.toString('base64url');
}

/** Returns whether a string has the form of a secret; other strings need no lookup. */
export function isSecret(kind: SecretKind, text: string): boolean {
  return FORMS[kind].test(text);
}

/** The access token in a header Authorization, which must be `Token <t>` and nothing else; undefined when it cannot be one. */
export function tokenInHeader(authorization: string): string | undefined {
  const [start] = SCHEME.exec(authorization) ?? [];
  if (start === undefined) return undefined;
  const token = authorization.slice(start.length);
  return isSecret('access', token) ? token : undefined;
}
