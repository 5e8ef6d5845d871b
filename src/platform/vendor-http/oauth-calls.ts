import { jsonOf, MalformedAnswer, type VendorAnswer, type VendorHttp, type VendorRequest } from './vendor-http.ts';
import type { CurrentSecret } from '../secrets/secrets.ts';
import { errorOfStatus } from './vendor-faults.ts';
import { VendorMisconfigured } from '../../vocabulary/vendor-errors.ts';

export interface OAuthOptions {
  vendor: string;
  /** Client of the token endpoint. */
  http: VendorHttp;
  path: string;
  clientId: string;
  clientSecret: CurrentSecret;
  scope?: string;
}

/** Calls with a token of the client-credentials grant (RFC 6749, 4.4), which is reused until shortly before it expires. */
export interface OAuthCalls {
  /** Makes a call with the token. After a 401 the token is renewed once; a second 401 is a configuration error. */
  call<T>(
    http: VendorHttp,
    request: VendorRequest,
    read: (answer: VendorAnswer) => T,
    accepted?: readonly number[],
  ): Promise<T>;
}

/** A token is renewed this long before it expires, so that none expires in transit. */
const RENEWED_BEFORE_END_SECONDS = 60;
const LIFE_SECONDS_UNSAID = 600;

export interface OAuthToken {
  value: string;
  /** By `performance.now()`. */
  endsAt: number;
}

/** Creates calls with tokens that are requested with the client secret in the body. */
export function createOAuthCalls(options: OAuthOptions): OAuthCalls {
  return createTokenCalls(() => obtain(options));
}

/** Creates calls with tokens. Requests the first token at the first call. */
export function createTokenCalls(request: () => Promise<OAuthToken>): OAuthCalls {
  let current: OAuthToken | undefined;
  let obtaining: Promise<OAuthToken> | undefined;

  /** One request for all concurrent calls that need a token. */
  const obtainOnce = (): Promise<OAuthToken> => {
    obtaining ??= request()
      .then((token) => (current = token))
      .finally(() => {
        obtaining = undefined;
      });
    return obtaining;
  };
  const token = (): OAuthToken | Promise<OAuthToken> =>
    current !== undefined && performance.now() < current.endsAt ? current : obtainOnce();
  /** Another call may have renewed it meanwhile. */
  const renewed = (refused: OAuthToken): OAuthToken | Promise<OAuthToken> =>
    current !== undefined && current.value !== refused.value ? current : obtainOnce();
  const once = <T>(
    http: VendorHttp,
    request: VendorRequest,
    bearer: OAuthToken,
    read: (answer: VendorAnswer) => T,
    accepted: readonly number[],
  ): Promise<T> =>
    http.call({ ...request, headers: { ...request.headers, authorization: `Bearer ${bearer.value}` } }, read, accepted);

  return {
    call: async (http, request, read, accepted = []) => {
      const first = await token();
      const answered = await once(
        http,
        request,
        first,
        (answer) => (answer.status === 401 ? undefined : { result: read(answer) }),
        [...accepted, 401],
      );
      if (answered !== undefined) return answered.result;
      return once(http, request, await renewed(first), read, accepted);
    },
  };
}

const CHANGED = Symbol('the secret has changed');

/** If the secret is rejected, reads it again, and retries if it has changed. */
async function obtain(options: OAuthOptions): Promise<OAuthToken> {
  for (;;) {
    const token = await requestToken(options, options.clientSecret.value() ?? '');
    if (token !== CHANGED) return token;
  }
}

async function requestToken(
  { vendor, http, path, clientId, clientSecret, scope }: OAuthOptions,
  secret: string,
): Promise<OAuthToken | typeof CHANGED> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: secret,
    ...(scope === undefined ? {} : { scope }),
  });
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
  const request = { method: 'POST' as const, path, headers, body: body.toString() };
  return http.call<OAuthToken | typeof CHANGED>(
    request,
    async (answer) => {
      if (answer.status !== 200) {
        await clientSecret.readAgain();
        if (clientSecret.value() !== secret) return CHANGED;
        throw (
          errorOfStatus(vendor, answer) ??
          new VendorMisconfigured(
            `${vendor} gives us no token (${answer.status}): check client id, secret and address.`,
          )
        );
      }
      return tokenIn(answer);
    },
    [401, 403],
  );
}

/** Reads the response of a token endpoint. @throws MalformedAnswer */
export function tokenIn(answer: VendorAnswer): OAuthToken {
  const { access_token: value, expires_in: seconds } = (jsonOf(answer) ?? {}) as {
    access_token?: unknown;
    expires_in?: unknown;
  };
  if (typeof value !== 'string' || !/^[\x21-\x7E]+$/.test(value)) throw new MalformedAnswer('no access_token');
  const life = Number(seconds) > 0 ? Number(seconds) : LIFE_SECONDS_UNSAID;
  return { value, endsAt: performance.now() + Math.max(life - RENEWED_BEFORE_END_SECONDS, life / 2) * 1_000 };
}
