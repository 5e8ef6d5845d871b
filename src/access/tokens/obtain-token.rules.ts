import { isSecret, type TokenKind } from './token.rules.ts';
import { GraphQLError, parse, type DocumentNode, type ValidationRule } from 'graphql';

/** Input of obtainToken; exactly one member must be set. */
export interface ObtainTokenInput {
  APIKey?: string | null;
  organizationSecretKey?: string | null;
  refreshToken?: string | null;
}

/** The same input, with the client id of OAuth. */
export type SentCredential = ObtainTokenInput & { clientId?: string };

/** Input of revokeToken; exactly one member must be set. */
export interface RevokeTokenInput {
  token?: string | null;
  refreshToken?: string | null;
}

/** A token to revoke. */
export type EndedCredential = { kind: TokenKind; secret: string };

/** A credential that is exchanged for tokens; `clientId` is the name under which a client of OAuth sent its key. */
export type Credential = { kind: 'key' | 'refresh'; secret: string; clientId?: string };

/** Reasons why no token was issued. Where the related public APIs have a code, it is the same. */
export const tokenRefusals = {
  one_input_expected: {
    errorType: 'VALIDATION',
    errorCode: 'KT-CT-1138',
    errorDescription: 'Send exactly one of APIKey, organizationSecretKey and refreshToken.',
  },
  key_refused: {
    errorType: 'VALIDATION',
    errorCode: 'KT-CT-1139',
    errorDescription: 'The API key is not valid, has expired or was revoked. Ask the operators for a new one.',
  },
  refresh_token_expired: {
    errorType: 'VALIDATION',
    errorCode: 'KT-CT-1134',
    errorDescription: 'The refresh token has expired. Obtain a new one with the API key.',
  },
  refresh_token_refused: {
    errorType: 'VALIDATION',
    errorCode: 'KT-CT-1135',
    errorDescription:
      'The refresh token is not valid, or it was used before, which ends its session. Obtain a new one with the API key.',
  },
  one_token_per_request: {
    errorType: 'VALIDATION',
    errorCode: 'GW-0001',
    errorDescription: 'One request can obtain only one token. Send a request for each.',
  },
  query_refused: {
    errorType: 'VALIDATION',
    errorCode: 'GW-0002',
    errorDescription: 'The query does not match the schema or is too large.',
  },
  service_unavailable: {
    errorType: 'SERVICE_AVAILABILITY',
    errorCode: 'GW-0003',
    errorDescription: 'The service is temporarily unavailable. Send the same request again in a few seconds.',
  },
  one_token_to_end: {
    errorType: 'VALIDATION',
    errorCode: 'GW-0005',
    errorDescription: 'Send exactly one of token and refreshToken.',
  },
  token_unknown: {
    errorType: 'VALIDATION',
    errorCode: 'GW-0006',
    errorDescription: 'The token is unknown; it may have expired.',
  },
  error: {
    errorType: 'APPLICATION',
    errorCode: 'GW-0004',
    errorDescription: 'An unexpected error occurred. If it persists, report the header x-request-id.',
  },
} as const;

export type TokenRefusal = keyof typeof tokenRefusals;

/** Distinguishes a refusal from a credential or a token. */
export function isTokenRefusal(value: unknown): value is TokenRefusal {
  return typeof value === 'string' && Object.hasOwn(tokenRefusals, value);
}

/** Too many attempts, or too many issued tokens. The client may retry after `retryAfterSeconds`. */
export interface RateLimited {
  retryAfterSeconds: number;
}

/** Distinguishes a rate-limited attempt from an outcome. */
export function isRateLimited(value: unknown): value is RateLimited {
  return typeof value === 'object' && value !== null && 'retryAfterSeconds' in value;
}

/** Returns the secret in the input, or '' if there is none. */
export function secretIn(input: ObtainTokenInput): string {
  return input.APIKey ?? input.organizationSecretKey ?? input.refreshToken ?? '';
}

/** Returns the single credential in the input. A malformed secret is refused without a lookup. */
export function credentialIn(input: SentCredential): Credential | TokenRefusal {
  const sent = [input.APIKey, input.organizationSecretKey, input.refreshToken].filter(
    (member) => member !== undefined && member !== null,
  );
  if (sent.length !== 1) return 'one_input_expected';
  const kind = typeof input.refreshToken === 'string' ? 'refresh' : 'key';
  const secret = sent[0]!;
  const { clientId } = input;
  if (isSecret(kind, secret)) return clientId === undefined ? { kind, secret } : { kind, secret, clientId };
  return kind === 'key' ? 'key_refused' : 'refresh_token_refused';
}

/** Returns the single token to revoke in the input. */
export function endedCredentialIn(input: RevokeTokenInput): EndedCredential | TokenRefusal {
  const [access, refresh] = [input.token ?? undefined, input.refreshToken ?? undefined];
  if ((access === undefined) === (refresh === undefined)) return 'one_token_to_end';
  const ended: EndedCredential =
    access === undefined ? { kind: 'refresh', secret: refresh! } : { kind: 'access', secret: access };
  return isSecret(ended.kind, ended.secret) ? ended : 'token_unknown';
}

/** The stored state of a refresh token. */
export interface StoredRefreshToken {
  isExpired: boolean;
  /** Used before, or its session was revoked. */
  wasUsed: boolean;
  keyIsRevoked: boolean;
}

/** Validates a refresh token. It can be used once, so that a copy is worthless afterward. */
export function refusalOfRefreshToken(stored: StoredRefreshToken | undefined): TokenRefusal | undefined {
  if (stored === undefined || stored.wasUsed || stored.keyIsRevoked) return 'refresh_token_refused';
  return stored.isExpired ? 'refresh_token_expired' : undefined;
}

/** Far more than a request for a token needs. */
const TOKENS_MAX = 1_000;
const DEPTH_MAX = 5;

/** Parses a query of limited length, so that deep nesting cannot exhaust the parser. */
export function parseBoundedQuery(source: Parameters<typeof parse>[0]): DocumentNode {
  return parse(source, { maxTokens: TOKENS_MAX, noLocation: true });
}

/** Rejects queries that are nested deeper than the schema requires. Each fragment is measured alone, because fragments cannot be cyclic. */
export const depthLimit: ValidationRule = (context) => {
  let depth = 0;
  return {
    SelectionSet: {
      enter: () => {
        depth += 1;
        if (depth === DEPTH_MAX + 1) {
          context.reportError(new GraphQLError(`The query is nested deeper than ${DEPTH_MAX} levels.`));
        }
      },
      leave: () => {
        depth -= 1;
      },
    },
  };
};
