import type { IncomingMessage } from 'node:http';
import { bulkhead, BulkheadRejectedError } from 'cockatiel';
import { execute, GraphQLError, NoSchemaIntrospectionCustomRule, validate } from 'graphql';
import { createHandler } from 'graphql-http/lib/use/koa';
import type { Context, Middleware } from 'koa';
import type { Database, Queryable } from '../platform/database/database.ts';
import { isEnvironmentFault } from '../platform/database/faults.ts';
import { answerRefusal } from '../platform/http/app.ts';
import { clientNetwork } from '../platform/http/client-network.ts';
import { parseJsonBody } from '../platform/http/json-body.ts';
import type { LargeBodyGate } from '../platform/http/large-body-gate.ts';
import { findUnknownQuery } from '../platform/http/query-parameters.ts';
import { createLoopShare } from '../platform/http/loop-share.ts';
import { createBodyReader, isLeftUnread, type ReadBytes } from '../platform/http/request-bytes.ts';
import { loggedFault, type Log } from '../platform/log.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { violation } from '../vocabulary/violations.ts';
import { insertAudit } from './audit-entry.store.ts';
import { endToken, exchangeForTokens, type IssuedTokens } from './access-token.store.ts';
import { countFailedTries, type FailedTries } from './failed-tries.store.ts';
import { withFewConnections } from './few-connections.store.ts';
import {
  credentialIn,
  endedCredentialIn,
  isNotHeard,
  isTokenRefusal,
  secretIn,
  tokenRefusals,
  type NotHeard,
  type ObtainTokenInput,
  type RevokeTokenInput,
  type TokenRefusal,
} from './obtain-token.rules.ts';
import { accessSchema } from './obtain-token.schema.ts';
import { depthLimit, parseBoundedQuery } from './query-limits.rules.ts';
import { SECRET_START_LENGTH } from './token.rules.ts';
import { countInWindows, type WindowedCount } from './windowed-count.rules.ts';

export interface ObtainTokenDeps {
  database: Database;
  log: Log;
  /** Told of each access token that is issued here. */
  onIssued(token: string): void;
  /** Whether the schema may be asked for; off unless a setting says otherwise. */
  allowIntrospection: boolean;
  largeBodies: LargeBodyGate;
}

/** Rows of refused credentials a minute and process. */
const REFUSED_ROWS_MAX = 1_000;
const MINUTE_MS = 60_000;
/** Refusals of a credential that has the form of one; the audit has a row for each. */
const CREDENTIAL_REFUSED: ReadonlySet<TokenRefusal> = new Set([
  'key_refused',
  'refresh_token_expired',
  'refresh_token_refused',
]);
const PATHS = new Set(['/graphql', '/graphql/']);
const BODY_LIMIT_BYTES = 100_000;
/** Exchanges of a credential for tokens under way at once, and those that may wait. */
const EXCHANGES_MAX = { underWay: 4, waiting: 256 } as const;
/** The same for what is counted and written down of failed tries. Those of one network wait for one row, however many are sent. */
const COUNTS_MAX = { underWay: 2, waiting: 1_024 } as const;

/** What a resolver knows of the request around it. */
type TokenRequest = {
  network: string;
  requestId: string;
  hasTried: boolean;
  /** Set when the tries are used up: the whole request is refused then. */
  heardAgainInSeconds?: number;
};

/**
 * `POST /graphql/`: the GraphQL interface, of which obtaining a token is all there is. A refused credential
 * is answered with 200 and `errors`, as GraphQL clients expect; used-up tries with 429, as everything in between does.
 */
export function obtainToken(deps: ObtainTokenDeps): Middleware {
  // However many ask for tokens, they hold few of the connections that requests need.
  const ofFailed = withFewConnections(deps.database, COUNTS_MAX);
  const exchanges = bulkhead(EXCHANGES_MAX.underWay, EXCHANGES_MAX.waiting);
  const tryDeps: TryDeps = {
    ...deps,
    exchanges,
    ofFailed,
    refusedRows: countInWindows({ windowMs: MINUTE_MS, namesMax: 1 }),
    tries: countFailedTries({ database: ofFailed, log: deps.log }),
  };
  const resolve = async ({ input }: { input: ObtainTokenInput }, request: TokenRequest) =>
    answer(await tryToObtain(tryDeps, input, request), input);
  const revoke = async ({ input }: { input: RevokeTokenInput }, request: TokenRequest) =>
    answerEnded(await tryToEnd(tryDeps, input, request));
  const requests = new WeakMap<IncomingMessage, TokenRequest>();
  const handle = createHandler<TokenRequest>({
    schema: accessSchema,
    rootValue: { obtainToken: resolve, ObtainToken: resolve, revokeToken: revoke, service: 'gangway' },
    parse: parseBoundedQuery,
    validationRules: [
      depthLimit(deps.allowIntrospection),
      ...(deps.allowIntrospection ? [] : [NoSchemaIntrospectionCustomRule]),
    ],
    // Suggestions would tell the schema to who may not ask for it.
    validate: (schema, document, rules, options) =>
      validate(schema, document, rules, { ...options, hideSuggestions: true }),
    execute: (request) => execute({ ...request, hideSuggestions: true }),
    context: (request) => requests.get(request.raw) as TokenRequest,
    formatError: (error) => describe(error, deps.log),
  });
  const readBytes = createBodyReader({ limitBytes: BODY_LIMIT_BYTES, gate: deps.largeBodies });
  // Hundreds of documents that arrived together would all be read in one turn of the event loop.
  const share = createLoopShare();
  return async (ctx, next) => {
    if (!PATHS.has(ctx.path)) return next();
    ctx.state['route'] = '/graphql';
    if (ctx.method !== 'POST') {
      ctx.set('allow', 'POST');
      return answerRefusal(ctx, refuse('method_not_allowed'));
    }
    const unknown = findUnknownQuery(ctx.querystring, []);
    if (unknown) return answerRefusal(ctx, unknown);
    if (!ctx.is('application/json')) return answerRefusal(ctx, refuse('unsupported_media_type'));
    const refused = await readBody(ctx, readBytes);
    if (refused) return answerRefusal(ctx, refused);
    const request: TokenRequest = {
      network: clientNetwork(ctx.ip),
      requestId: ctx.state['requestId'] as string,
      hasTried: false,
    };
    requests.set(ctx.req, request);
    await share.take();
    await handle(ctx, next);
    if (request.heardAgainInSeconds !== undefined) return answerUsedUp(ctx, request.heardAgainInSeconds);
    answerMalformedAsOthersDo(ctx);
  };
}

function answerUsedUp(ctx: Context, seconds: number): void {
  answerRefusal(
    ctx,
    refuse('throttled', {
      detail:
        'Too many failed tries with this key or from this address, or too many tokens for this key; try again after the time in Retry-After.',
      retryAfterSeconds: seconds,
    }),
  );
}

/** What is no GraphQL request at all is refused like any other malformed request; GraphQL has no form for it. */
function answerMalformedAsOthersDo(ctx: Context): void {
  if (ctx.type === 'application/graphql-response+json') return;
  if (ctx.status === 400) {
    const [error] = (JSON.parse(String(ctx.body)) as { errors: { message: string }[] }).errors;
    const member = /^(?:Missing|Invalid) (query|variables|operationName|extensions)$/.exec(error?.message ?? '')?.[1];
    const sentence = `${error?.message ?? 'This is no GraphQL request'}.`;
    answerRefusal(
      ctx,
      member === undefined
        ? refuse('parse_error', { detail: sentence })
        : refuse('validation_failed', {
            violations: [violation(sentence.startsWith('Missing') ? 'required' : 'invalid', [member])],
          }),
    );
  }
  if (ctx.status === 406) answerRefusal(ctx, refuse('not_acceptable'));
  if (ctx.status === 415) answerRefusal(ctx, refuse('unsupported_media_type'));
}

/** Reads the body to where the GraphQL handler looks for it. */
async function readBody(ctx: Context, readBytes: ReadBytes): Promise<Refused | undefined> {
  const bytes = await readBytes(ctx.req, ctx.res, '');
  if (isLeftUnread(ctx.req, bytes)) ctx.set('connection', 'close');
  const parsed = isRefused(bytes) ? bytes : parseJsonBody(bytes);
  if (isRefused(parsed)) return parsed;
  (ctx.request as { body?: unknown }).body = parsed.value;
  return undefined;
}

interface TryDeps extends ObtainTokenDeps {
  tries: FailedTries;
  exchanges: ReturnType<typeof bulkhead>;
  /** The way to the database for what concerns failed tries. */
  ofFailed: Queryable;
  /** Counts the rows of the audit that refused credentials have made. */
  refusedRows: WindowedCount;
}

async function tryToObtain(
  deps: TryDeps,
  input: ObtainTokenInput,
  request: TokenRequest,
): Promise<IssuedTokens | TokenRefusal> {
  const credential = credentialIn(input);
  const outcome = await hear(deps, request, secretIn(input), async () =>
    isTokenRefusal(credential) ? credential : exchangeForTokens(deps.database, credential, request.network),
  );
  if (!isTokenRefusal(outcome)) deps.onIssued(outcome.token);
  else if (CREDENTIAL_REFUSED.has(outcome) && request.heardAgainInSeconds === undefined) {
    await noteRefused(deps, request, secretIn(input));
  }
  return outcome;
}

/** Whoever looks for stolen or guessed keys needs to know from where they were tried; a key is told by its beginning, as in the list of keys. */
async function noteRefused(
  { ofFailed, refusedRows, log }: TryDeps,
  { network, requestId }: TokenRequest,
  secret: string,
): Promise<void> {
  // Rows of the audit stay for years: strangers from many networks together write so many and no more.
  if (refusedRows.add('all') > REFUSED_ROWS_MAX) return;
  const change = {
    action: 'token.refused',
    subject: 'tokens',
    after: { network, begins_with: secret.slice(0, SECRET_START_LENGTH) },
  };
  // The answer stays the same: nobody who guesses learns whether the audit could be written.
  await insertAudit(ofFailed, { keyName: 'unknown' }, change).catch((error: unknown) => {
    log.warn({ requestId, fault: loggedFault(error) }, 'a refused credential could not be written to the audit');
  });
}

async function tryToEnd(
  deps: TryDeps,
  input: RevokeTokenInput,
  request: TokenRequest,
): Promise<'ended' | TokenRefusal> {
  const ended = endedCredentialIn(input);
  return hear(deps, request, input.token ?? input.refreshToken ?? '', async () =>
    isTokenRefusal(ended) ? ended : endToken(deps.database, ended),
  );
}

/** Makes one try of a request, unless too many failed before: the whole request is refused then. */
async function hear<Outcome>(
  deps: TryDeps,
  request: TokenRequest,
  secret: string,
  make: () => Promise<Outcome | TokenRefusal | NotHeard>,
): Promise<Outcome | TokenRefusal> {
  // Aliases would otherwise make one request a thousand tries.
  if (request.hasTried) return 'one_token_per_request';
  request.hasTried = true;
  const outcome = await unlessFull(() =>
    deps.tries.hear({ network: request.network, secret, requestId: request.requestId }, () =>
      deps.exchanges.execute(make),
    ),
  );
  if (!isNotHeard(outcome)) return outcome;
  request.heardAgainInSeconds = outcome.heardAgainInSeconds;
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

function answerEnded(outcome: 'ended' | TokenRefusal) {
  if (isTokenRefusal(outcome)) throw refusalError(outcome);
  return { revoked: true };
}

function refusalError(refusal: TokenRefusal): GraphQLError {
  return new GraphQLError(tokenRefusals[refusal].errorDescription, { extensions: { ...tokenRefusals[refusal] } });
}

function answer(outcome: IssuedTokens | TokenRefusal, input: ObtainTokenInput) {
  if (isTokenRefusal(outcome)) throw refusalError(outcome);
  return {
    token: outcome.token,
    refreshToken: outcome.refreshToken,
    refreshExpiresIn: outcome.refreshExpiresAt,
    payload: {
      sub: outcome.keyId,
      iss: 'gangway',
      gty: input.refreshToken ? 'REFRESH-TOKEN' : 'API-KEY',
      iat: outcome.issuedAt,
      exp: outcome.expiresAt,
      organisation: outcome.organisation,
      role: outcome.role,
    },
  };
}

/** Gives every error the three members of `extensions`; what went wrong inside is logged, not sent. */
function describe(error: Readonly<Error>, log: Log): GraphQLError {
  if (!(error instanceof GraphQLError)) return withExtensions(error.message, 'query_refused');
  if (typeof error.extensions['errorCode'] === 'string') return error;
  const cause = error.originalError;
  if (cause === undefined || cause instanceof GraphQLError) {
    return withExtensions(error.message, 'query_refused', error);
  }
  const code = isEnvironmentFault(cause) ? 'service_unavailable' : 'error';
  log.error({ fault: { name: cause.name, stack: cause.stack } }, 'obtaining a token failed');
  return withExtensions(tokenRefusals[code].errorDescription, code, error);
}

function withExtensions(message: string, code: TokenRefusal, error?: GraphQLError): GraphQLError {
  return new GraphQLError(message, { path: error?.path, extensions: { ...tokenRefusals[code] } });
}
