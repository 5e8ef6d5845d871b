import { bulkhead, BulkheadRejectedError, type BulkheadPolicy } from 'cockatiel';
import type { Database } from '../../platform/database/database.ts';
import { loggedFault, type Log } from '../../platform/log.ts';
import { storableText } from '../../platform/database/storable-text.rules.ts';
import { recordAudit } from '../audit/audit-entry.store.ts';
import {
  endToken,
  exchangeForTokens,
  identifyKey,
  type IssuedTokens,
  type IdentifiedKey,
} from './access-token.store.ts';
import { countFailedTries, type FailedTries } from './failed-tries.store.ts';
import {
  credentialIn,
  endedCredentialIn,
  isRateLimited,
  isTokenRefusal,
  secretIn,
  type RateLimited,
  type SentCredential,
  type RevokeTokenInput,
  type TokenRefusal,
} from './obtain-token.rules.ts';
import { isSecret, SECRET_START_LENGTH } from './token.rules.ts';
import { countInWindows, type WindowedCount } from '../../platform/windowed-count.ts';

/** Audit entries about refused credentials, per minute and process. */
const REFUSED_ROWS_MAX = 1_000;
const MINUTE_MS = 60_000;
/** Refusals of well-formed credentials. Each gets an audit entry. */
const CREDENTIAL_REFUSED: ReadonlySet<TokenRefusal> = new Set([
  'key_refused',
  'refresh_token_expired',
  'refresh_token_refused',
]);
/** Limits of running and waiting credential exchanges. */
const EXCHANGES_MAX = { underWay: 4, waiting: 256 } as const;
/** Statements that count and record failed attempts, running and waiting. Attempts of one network wait for the same row. */
const COUNTS_MAX = { underWay: 2, waiting: 1_024 } as const;

/** Data of the request that an attempt needs. */
export type TokenRequest = {
  network: string;
  requestId: string;
  hasTried: boolean;
  /** Set if the request is rate limited: the whole request is then refused. */
  retryAfterSeconds?: number | undefined;
};

/** Operations of a request that need a credential. */
export interface TokenTries {
  /** Exchanges a credential for tokens. */
  obtain(input: SentCredential, request: TokenRequest): Promise<IssuedTokens | TokenRefusal>;
  /** Ends a token, or all tokens of a session. */
  end(input: RevokeTokenInput, request: TokenRequest): Promise<'ended' | TokenRefusal>;
  /** Identifies the key of a secret when a person signs in with it. */
  identify(secret: string, request: TokenRequest): Promise<IdentifiedKey | TokenRefusal>;
}

export interface TokenTriesDeps {
  database: Database;
  log: Log;
  /** Called with each access token issued by this process. */
  onIssued(token: string): void;
}

/** Checks credentials with limited concurrency, and counts each attempt. A rate-limited request gets `retryAfterSeconds`. */
export function createTokenTries(deps: TokenTriesDeps): TokenTries {
  // Limits the connections that token requests take from other requests.
  const counting = bulkhead(COUNTS_MAX.underWay, COUNTS_MAX.waiting);
  const tryDeps: TryDeps = {
    ...deps,
    exchanges: bulkhead(EXCHANGES_MAX.underWay, EXCHANGES_MAX.waiting),
    counting,
    refusedRows: countInWindows({ windowMs: MINUTE_MS, namesMax: 1 }),
    tries: countFailedTries({ ...deps, counting }),
  };
  return {
    obtain: (input, request) => tryToObtain(tryDeps, input, request),
    end: (input, request) => tryToEnd(tryDeps, input, request),
    identify: (secret, request) => tryToIdentify(tryDeps, secret, request),
  };
}

interface TryDeps extends TokenTriesDeps {
  tries: FailedTries;
  exchanges: BulkheadPolicy;
  /** Limits the statements about failed attempts. */
  counting: BulkheadPolicy;
  /** Counts the audit entries about refused credentials. */
  refusedRows: WindowedCount;
}

async function tryToObtain(
  deps: TryDeps,
  input: SentCredential,
  request: TokenRequest,
): Promise<IssuedTokens | TokenRefusal> {
  const credential = credentialIn(input);
  const outcome = await attempt(deps, request, secretIn(input), async () =>
    isTokenRefusal(credential) ? credential : exchangeForTokens(deps.database, credential, request.network),
  );
  if (!isTokenRefusal(outcome)) deps.onIssued(outcome.token);
  else if (CREDENTIAL_REFUSED.has(outcome) && request.retryAfterSeconds === undefined) {
    await noteRefused(deps, request, secretIn(input));
  }
  return outcome;
}

/** Operators need the origin of attempts with stolen or guessed keys. The entry shows the first characters of the key, as in the list of keys. */
async function noteRefused(
  { database, counting, refusedRows, log }: TryDeps,
  { network, requestId }: TokenRequest,
  secret: string,
): Promise<void> {
  // Audit entries are kept for years, so unauthenticated clients of all networks together write at most REFUSED_ROWS_MAX.
  if (refusedRows.add('all') > REFUSED_ROWS_MAX) return;
  const change = {
    action: 'token.refused',
    subject: 'tokens',
    after: { network, begins_with: storableText(secret.slice(0, SECRET_START_LENGTH)) },
  };
  // The response stays the same, so that an attacker does not learn whether the audit could be written.
  await counting
    .execute(() => recordAudit(database, { keyName: 'unknown' }, change))
    .catch((error: unknown) => {
      log.warn({ requestId, fault: loggedFault(error) }, 'a refused credential could not be written to the audit');
    });
}

async function tryToIdentify(
  deps: TryDeps,
  secret: string,
  request: TokenRequest,
): Promise<IdentifiedKey | TokenRefusal> {
  const outcome = await attempt(deps, request, secret, async () =>
    isSecret('key', secret) ? identifyKey(deps.database, secret) : 'key_refused',
  );
  if (outcome === 'key_refused' && request.retryAfterSeconds === undefined) await noteRefused(deps, request, secret);
  return outcome;
}

async function tryToEnd(
  deps: TryDeps,
  input: RevokeTokenInput,
  request: TokenRequest,
): Promise<'ended' | TokenRefusal> {
  const ended = endedCredentialIn(input);
  return attempt(deps, request, input.token ?? input.refreshToken ?? '', async () =>
    isTokenRefusal(ended) ? ended : endToken(deps.database, ended),
  );
}

/** Runs the attempt of a request. If it is rate limited, the whole request is refused. */
async function attempt<Outcome>(
  deps: TryDeps,
  request: TokenRequest,
  secret: string,
  make: () => Promise<Outcome | TokenRefusal | RateLimited>,
): Promise<Outcome | TokenRefusal> {
  // With aliases one request could otherwise contain a thousand attempts.
  if (request.hasTried) return 'one_token_per_request';
  request.hasTried = true;
  const outcome = await unlessFull(() =>
    deps.tries.attempt({ network: request.network, secret, requestId: request.requestId }, () =>
      deps.exchanges.execute(make),
    ),
  );
  if (!isRateLimited(outcome)) return outcome;
  request.retryAfterSeconds = outcome.retryAfterSeconds;
  // Replaced by the refusal of the whole request.
  return 'key_refused';
}

async function unlessFull<Outcome>(make: () => Promise<Outcome>): Promise<Outcome | TokenRefusal> {
  try {
    return await make();
  } catch (error) {
    if (error instanceof BulkheadRejectedError) return 'service_unavailable';
    throw error;
  }
}
