/** Format and lifetime of secrets. A secret is 256 random bits in base64url after a prefix that identifies its kind to people, logs and secret scanners. */
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
/** Length of the part of a key that is stored in plain text, including the prefix. It identifies the key; 208 bits stay secret. */
export const SECRET_START_LENGTH = 12;

/** Maximum duration of a session: clients use their key at least twice a day. */
const SESSION_SECONDS = 12 * 3_600;
/** Maximum lifetime of a token; no token outlives its session. */
export const LIFE_SECONDS: Record<TokenKind, number> = { access: 3_600, refresh: SESSION_SECONDS };

// The scheme is case-insensitive (RFC 9110, 11.1). OAuth libraries send Bearer.
const SCHEME = /^(?:token|bearer) /i;

/** Encodes random bytes as a secret. */
export function writeSecret(kind: SecretKind, random: Buffer): string {
  return PREFIXES[kind] + random.toString('base64url');
}

/** Returns whether a string has the format of a secret. Other strings need no lookup. */
export function isSecret(kind: SecretKind, text: string): boolean {
  return FORMS[kind].test(text);
}

/** Returns the access token of an Authorization header, which must be exactly `Token <t>` or `Bearer <t>`; undefined if it is malformed. */
export function tokenInHeader(authorization: string): string | undefined {
  const [start] = SCHEME.exec(authorization) ?? [];
  if (start === undefined) return undefined;
  const token = authorization.slice(start.length);
  return isSecret('access', token) ? token : undefined;
}
