import { RefusedError, TokenRefusedError } from './errors.ts';
import { exchange, readBody, retryAfterOf } from './exchange.ts';

/** The tokens that the service issues for a key. */
export interface Tokens {
  token: string;
  refreshToken: string;
  /** `exp` is the Unix time at which the token expires, `sub` the id of the key. */
  payload: { exp: number; role: string; sub: string; organisation: string };
}

/** A token that expires within this time is renewed first. */
const RENEWED_BEFORE_END_SECONDS = 60;
const OBTAIN =
  'mutation ($input: ObtainJSONWebTokenInput!) { obtainToken(input: $input) { token refreshToken payload } }';
const REVOKE = 'mutation ($token: String!) { revokeToken(input: { refreshToken: $token }) { revoked } }';

/**
 * Obtains tokens for a key or a refresh token.
 * @throws TokenRefusedError, RefusedError, AddressError, UnreachableError
 */
export async function obtainTokens(url: string, input: { APIKey: string } | { refreshToken: string }): Promise<Tokens> {
  const response = await mutate(url, OBTAIN, { input });
  const body = await readBody({ url }, response);
  const { data, errors } = (body ?? {}) as {
    data?: { obtainToken?: Tokens | null };
    errors?: { message: string; extensions?: { errorDescription?: string } }[];
  };
  const tokens = data?.obtainToken;
  if (typeof tokens?.token === 'string' && typeof tokens.payload?.exp === 'number') return tokens;
  const { status } = response;
  if (status === 503 || status === 429) throw new RefusedError(status, body, retryAfterOf(response));
  const first = Array.isArray(errors) ? errors[0] : undefined;
  const why = first?.extensions?.errorDescription ?? first?.message;
  throw new TokenRefusedError(
    why === undefined
      ? `${url} does not respond like gangway (status ${status}). Check the address.`
      : `The service did not issue a token: ${why}`,
  );
}

/** Ends all tokens that were issued with a refresh token. */
export async function revokeTokens(url: string, refreshToken: string): Promise<void> {
  const response = await mutate(url, REVOKE, { token: refreshToken });
  await response.body?.cancel();
}

function mutate(url: string, query: string, variables: object): Promise<Response> {
  return exchange(
    { url },
    {
      method: 'POST',
      path: '/graphql/',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
      retryMs: 0,
    },
  );
}

/** Returns the current tokens. @param isRejected whether the service rejected the last token */
export type TokenSource = (isRejected: boolean) => Promise<Tokens>;

/** The tokens of a key. They are valid for an hour, but a job may take a night: obtains new ones before they expire, or when one is rejected. */
export function tokensOfKey(url: string, key: string): TokenSource {
  let tokens: Promise<Tokens> | undefined;
  return async (isRejected) => {
    const known = await tokens?.catch(() => undefined);
    if (known && !isRejected && known.payload.exp - Date.now() / 1_000 > RENEWED_BEFORE_END_SECONDS) return known;
    tokens = obtainTokens(url, { APIKey: key });
    return tokens;
  };
}
