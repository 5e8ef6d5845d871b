import type { IncomingMessage } from 'node:http';
import { execute, GraphQLError, NoSchemaIntrospectionCustomRule, validate } from 'graphql';
import { createHandler } from 'graphql-http/lib/use/koa';
import type { Context, Middleware } from 'koa';
import { isTransientError } from '../../platform/database/faults.ts';
import { answerLanguage } from '../../platform/http/answer-language.ts';
import { answerLate, answerRefusal } from '../../platform/http/answer-refusal.ts';
import { clientNetwork } from '../../platform/http/client-network.ts';
import { parseJsonBody } from '../../platform/http/json-body.ts';
import type { LargeBodyGate } from '../../platform/http/large-body-gate.ts';
import { checkQuery } from '../../platform/http/query-parameters.ts';
import type { EventLoopScheduler } from '../../platform/http/event-loop-scheduler.ts';
import { createBodyReader, isLeftUnread, type ReadBytes } from '../../platform/http/request-bytes.ts';
import type { Log } from '../../platform/log.ts';
import { inFrench } from '../../vocabulary/french.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { violation } from '../../vocabulary/violations.ts';
import type { IssuedTokens } from './access-token.store.ts';
import {
  isTokenRefusal,
  tokenRefusals,
  type ObtainTokenInput,
  type RevokeTokenInput,
  type TokenRefusal,
  depthLimit,
  parseBoundedQuery,
} from './obtain-token.rules.ts';
import { accessSchema } from './obtain-token.schema.ts';
import type { TokenRequest, TokenTries } from './token-tries.queue.ts';

export interface ObtainTokenDeps {
  tries: Pick<TokenTries, 'obtain' | 'end'>;
  log: Log;
  largeBodies: LargeBodyGate;
  scheduler: EventLoopScheduler;
}

const PATHS = new Set(['/graphql', '/graphql/']);
const BODY_LIMIT_BYTES = 100_000;

/**
 * `POST /graphql/`: the GraphQL API, which only obtains and revokes tokens. A refused credential is answered with 200 and `errors`, as
 * GraphQL clients expect; too many failed attempts with 429.
 */
export function obtainToken(deps: ObtainTokenDeps): Middleware {
  const { tries } = deps;
  const resolve = async ({ input }: { input: ObtainTokenInput }, request: TokenRequest) =>
    answer(await tries.obtain(input, request), input);
  const revoke = async ({ input }: { input: RevokeTokenInput }, request: TokenRequest) =>
    answerEnded(await tries.end(input, request));
  const requests = new WeakMap<IncomingMessage, TokenRequest>();
  const handle = createHandler<TokenRequest>({
    schema: accessSchema,
    rootValue: { obtainToken: resolve, ObtainToken: resolve, revokeToken: revoke, service: 'gangway' },
    parse: parseBoundedQuery,
    validationRules: [depthLimit, NoSchemaIntrospectionCustomRule],
    // Suggestions would reveal the schema to clients without access.
    validate: (schema, document, rules, options) =>
      validate(schema, document, rules, { ...options, hideSuggestions: true }),
    execute: (request) => execute({ ...request, hideSuggestions: true }),
    context: (request) => requests.get(request.raw) as TokenRequest,
    formatError: (error) => describe(error, deps.log),
  });
  const readBytes = createBodyReader({ limitBytes: BODY_LIMIT_BYTES, gate: deps.largeBodies });
  return async (ctx, next) => {
    if (!PATHS.has(ctx.path)) return next();
    ctx.state['route'] = '/graphql';
    if (ctx.method !== 'POST') {
      ctx.set('allow', 'POST');
      return answerRefusal(ctx, refuse('method_not_allowed'));
    }
    const queryFault = checkQuery(ctx.querystring, {});
    if (queryFault) return answerRefusal(ctx, queryFault);
    if (!ctx.is('application/json')) return answerRefusal(ctx, refuse('unsupported_media_type'));
    const refused = await readBody(ctx, readBytes);
    if (refused) return answerRefusal(ctx, refused);
    const request: TokenRequest = {
      network: clientNetwork(ctx.ip),
      requestId: ctx.state['requestId'] as string,
      hasTried: false,
    };
    requests.set(ctx.req, request);
    // Unauthenticated clients may send hundreds of documents concurrently: each yields to requests of authenticated callers.
    await deps.scheduler.acquire(true);
    await handle(ctx, next);
    if (request.retryAfterSeconds !== undefined) return answerUsedUp(ctx, request.retryAfterSeconds);
    answerMalformedAsOthersDo(ctx);
    if (answerLanguage(ctx) === 'fr') translateErrors(ctx);
  };
}

function answerUsedUp(ctx: Context, seconds: number): Promise<void> {
  return answerLate(
    ctx,
    refuse('throttled', {
      detail:
        'Too many failed attempts with this key or from this address, or too many tokens for this key. Send the request again after the time in Retry-After.',
      retryAfterSeconds: seconds,
    }),
  );
}

/** A request that is not GraphQL is rejected like any other malformed request, because GraphQL does not define a response for it. */
function answerMalformedAsOthersDo(ctx: Context): void {
  if (ctx.type === 'application/graphql-response+json') return;
  if (ctx.status === 400) {
    const [error] = (JSON.parse(String(ctx.body)) as { errors: { message: string }[] }).errors;
    const member = /^(?:Missing|Invalid) (query|variables|operationName|extensions)$/.exec(error?.message ?? '')?.[1];
    const sentence = `${error?.message ?? 'This is not a GraphQL request'}.`;
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

/** Translates the messages of errors; those of GraphQL itself stay, but not the description of their code. */
function translateErrors(ctx: Context): void {
  if (typeof ctx.body !== 'string' || !ctx.body.includes('"errorDescription"')) return;
  const body = JSON.parse(ctx.body) as { errors: { message: string; extensions: { errorDescription: string } }[] };
  const french = (text: string) => inFrench(text) ?? text;
  ctx.body = JSON.stringify({
    ...body,
    errors: body.errors.map(({ message, extensions, ...others }) => ({
      message: french(message),
      ...others,
      extensions: { ...extensions, errorDescription: french(extensions.errorDescription) },
    })),
  });
  ctx.set('content-language', 'fr');
}

/** Reads the body and stores it where the GraphQL handler expects it. */
async function readBody(ctx: Context, readBytes: ReadBytes): Promise<Refused | undefined> {
  const bytes = await readBytes(ctx.req, ctx.res, '');
  if (isLeftUnread(ctx.req, bytes)) ctx.set('connection', 'close');
  const parsed = isRefused(bytes) ? bytes : parseJsonBody(bytes);
  if (isRefused(parsed)) return parsed;
  (ctx.request as { body?: unknown }).body = parsed.value;
  return undefined;
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

/** Adds the three members of `extensions` to every error. Internal errors are logged, not sent. */
function describe(error: Readonly<Error>, log: Log): GraphQLError {
  if (!(error instanceof GraphQLError)) return withExtensions(error.message, 'query_refused');
  if (typeof error.extensions['errorCode'] === 'string') return error;
  const cause = error.originalError;
  if (cause === undefined || cause instanceof GraphQLError) {
    return withExtensions(error.message, 'query_refused', error);
  }
  const code = isTransientError(cause) ? 'service_unavailable' : 'error';
  log.error({ fault: { name: cause.name, stack: cause.stack } }, 'obtaining a token failed');
  return withExtensions(tokenRefusals[code].errorDescription, code, error);
}

function withExtensions(message: string, code: TokenRefusal, error?: GraphQLError): GraphQLError {
  return new GraphQLError(message, { path: error?.path, extensions: { ...tokenRefusals[code] } });
}
