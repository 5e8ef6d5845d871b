import { randomUUID } from 'node:crypto';
import Router from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import type { MaybePromise } from '../../foundation/maybe-promise.ts';
import { isTransientError } from '../database/faults.ts';
import { loggedFault, type Log } from '../log.ts';
import { createSlots, type Slots } from '../slots.ts';
import { acceptsJson } from './answer-language.ts';
import { answerHeaders, deprecationHeaders } from './answer-headers.ts';
import { answerLate, answerRefusal, refuseUnavailable } from './answer-refusal.ts';
import { handlerOf, type Handler, type KeyedRequestsOptions } from './keyed-requests.ts';
import type { LargeBodyGate } from './large-body-gate.ts';
import { createLongAnswers, type LongAnswerLimits, type LongAnswers } from './long-answers.ts';
import type { EventLoopScheduler } from './event-loop-scheduler.ts';
import { beginRequestSpan, noteAnswered, type AnsweredRequest } from './note-answered.ts';
import { checkQuery } from './query-parameters.ts';
import { hangUpSignal, ReceivedRequest } from './received-request.ts';
import { isBodyless, isLarge, requestBodyOf } from './request-body.ts';
import { BodyRejected, HungUp } from './request-bytes.ts';
import type { Caller, Route, TokenRoute } from './route.ts';
import { answerLongReply, answerReply, setHeaders } from './send-json.ts';
import { drain, openStreamedBody, type StreamedBodyRules } from './streamed-body.ts';
import { allowsAction } from '../../vocabulary/operator-actions.ts';

export interface AppOptions {
  routes: readonly Route[];
  log: Log;
  /** Authenticates the Authorization header. `address` returns the client's address. */
  authenticate(authorization: string | undefined, address: () => string): MaybePromise<Caller | Refused>;
  /** Counts a request against the quotas of the caller's import suppliers before its body is read. Returns undefined if there is no quota. */
  useQuota?(caller: Caller): MaybePromise<{ headers: Readonly<Record<string, string>>; refused?: Refused } | undefined>;
  /** Handles requests with an Idempotency-Key. If omitted, the header is ignored. */
  keyedRequests?: KeyedRequestsOptions;
  /** Middleware for paths outside the routes, for example GraphQL. */
  extra?: readonly Middleware[];
  /** Pages for people. Served before the Accept header is checked, because they are not JSON. */
  pages?: Middleware;
  /** Delays large bodies while too many are in memory. */
  largeBodies: LargeBodyGate;
  /** Schedules work on bodies fairly on the event loop. */
  scheduler: EventLoopScheduler;
  /** Limits of long responses, if other than the default. */
  longAnswers?: LongAnswerLimits;
  /** Called after each response, for metrics. */
  onAnswered?(answered: AnsweredRequest): void;
  /**
   * Number of proxies in front of the service, each of which adds its client's address to X-Forwarded-For. They terminate TLS, so
   * Strict-Transport-Security is sent; browsers ignore it without TLS.
   */
  proxies?: number;
}

/** Enough for a key that lists several import suppliers concurrently, with bounded memory. */
const LONG_ANSWERS: LongAnswerLimits = { perProcess: 16, perCaller: 4, waitMs: 2_000 };

/** After this time the next large body is admitted: the current one waits for something else, such as a database lock. */
const LARGE_BODY_RELEASE_MS = 500;

/** Shared by all routes of an app. */
interface Shared {
  /**
   * Serializes the work on large bodies, from scanning to the response. Several parsed bodies at the same time would multiply memory use and
   * lengthen garbage collections, and bodies waiting for the same thing, such as the list of suppliers, would all resume in one iteration of
   * the event loop.
   */
  largeBodies: Slots;
  longAnswers: LongAnswers;
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Assembles the API: request id, one log line, error responses, routing, authorization, body, handler.
 * @returns a Koa application, not listening yet
 */
export function createApp(options: AppOptions): Koa {
  const app = new Koa({ proxy: isBehindProxy(options), maxIpsCount: options.proxies ?? 0 });
  // Koa's error output would print request data. `answerFault` handles every error.
  app.silent = true;
  const router = new Router({ strict: false, sensitive: true });
  const fixed = new Map<string, (ctx: Context) => Promise<void>>();
  const shared: Shared = {
    largeBodies: createSlots({ atOnce: 1, releaseAfterMs: LARGE_BODY_RELEASE_MS }),
    longAnswers: createLongAnswers(options.longAnswers ?? LONG_ANSWERS),
  };
  for (const route of options.routes) {
    const answer = serve(route, options, shared);
    router.register(route.path, [route.method], [answer] as never);
    if (!route.path.includes(':')) fixed.set(`${route.method} ${route.path}`, answer);
  }
  app.use(frame(options));
  app.use(serveFixed(fixed));
  if (options.pages) app.use(options.pages);
  app.use(refuseUnacceptable());
  for (const middleware of options.extra ?? []) app.use(middleware);
  app.use(router.routes() as unknown as Middleware);
  app.use(answerUnmatched());
  return app;
}

function isBehindProxy({ proxies = 0 }: AppOptions): boolean {
  return proxies > 0;
}

/** Wraps every request: request id, common headers, one log line, and a response to any error. */
function frame(options: AppOptions): Middleware {
  const headers = [...Object.entries(answerHeaders(isBehindProxy(options))).flat(), 'vary', 'accept-language'];
  return async (ctx, next) => {
    const started = performance.now();
    const sent = ctx.get('x-request-id');
    const requestId = sent !== '' && REQUEST_ID.test(sent) ? sent : randomUUID();
    ctx.state['requestId'] = requestId;
    ctx.state['log'] = options.log;
    ctx.state['headers'] = [...headers, 'x-request-id', requestId];
    const span = beginRequestSpan(ctx);
    ctx.res.on('close', () => noteAnswered(ctx, performance.now() - started, span, options));
    try {
      if (namesPath(ctx)) await (span === undefined ? next() : span.around(next));
      else answerRefusal(ctx, refuse('parse_error', { detail: 'The request target has no path.' }));
    } catch (error) {
      answerFault(ctx, error);
    }
    setHeaders(ctx);
  };
}

/** A request target may be an absolute URL that is invalid or has no path; `ctx.path` is then empty or throws. */
function namesPath(ctx: Context): boolean {
  if (ctx.url.startsWith('/')) return true;
  try {
    return Boolean(ctx.path);
  } catch {
    return false;
  }
}

function answerFault(ctx: Context, error: unknown): void {
  // The client disconnected, as the log line of the request shows.
  if (error instanceof HungUp) return;
  if (isTransientError(error)) {
    logOf(ctx).warn(
      { requestId: ctx.state['requestId'], fault: loggedFault(error) },
      'a part of the service is out of reach',
    );
    answerRefusal(ctx, refuseUnavailable(error, ctx.method));
  } else {
    logOf(ctx).error(
      { requestId: ctx.state['requestId'], route: ctx.state['route'], fault: loggedFault(error) },
      'request failed by a fault of ours',
    );
    answerRefusal(ctx, refuse('error'));
  }
}

/** Finds paths without parameters in one lookup, as in most requests. The router tries the pattern of every route. */
function serveFixed(fixed: ReadonlyMap<string, (ctx: Context) => Promise<void>>): Middleware {
  return (ctx, next) => {
    const { path } = ctx;
    const answer = fixed.get(`${ctx.method} ${path.endsWith('/') ? path.slice(0, -1) : path}`);
    if (answer === undefined) return next();
    return acceptsJson(ctx.get('accept')) ? answer(ctx) : answerUnacceptable(ctx);
  };
}

function refuseUnacceptable(): Middleware {
  return (ctx, next) =>
    acceptsJson(ctx.get('accept'), /^\/graphql\/?$/.test(ctx.path)) ? next() : answerUnacceptable(ctx);
}

async function answerUnacceptable(ctx: Context): Promise<void> {
  answerRefusal(ctx, refuse('not_acceptable'));
}

function answerUnmatched(): Middleware {
  return async (ctx) => {
    const allowed = new Set((ctx['matched'] as { methods: string[] }[] | undefined)?.flatMap((layer) => layer.methods));
    if (allowed.size === 0) return answerRefusal(ctx, refuse('not_found'));
    ctx.set('allow', [...allowed].sort().join(', '));
    if (ctx.method === 'OPTIONS') {
      ctx.status = 204;
      return;
    }
    answerRefusal(ctx, refuse('method_not_allowed'));
  };
}

function serve(
  route: Route,
  options: AppOptions,
  { largeBodies, longAnswers }: Shared,
): (ctx: Context) => Promise<void> {
  const body = route.bodyLimitBytes === undefined ? undefined : requestBodyOf(route, options);
  const declaredQuery = route.openApi?.query ?? {};
  const handle = handlerOf(route, options.keyedRequests);
  const deprecation = route.deprecation && deprecationHeaders(route.deprecation);
  return async (ctx) => {
    ctx.state['route'] = route.path;
    if (deprecation !== undefined) (ctx.state['headers'] as string[]).push(...deprecation);
    const request = new ReceivedRequest(ctx, options.log, options.scheduler);
    if (route.access !== 'public') {
      const caller = await options.authenticate(ctx.get('authorization') || undefined, () => ctx.ip);
      if (isRefused(caller)) return answerLate(ctx, caller);
      ctx.state['caller'] = caller;
      const denial = denialOf(route, caller);
      if (denial !== undefined) return answerRefusal(ctx, denial);
      request.caller = caller;
      const quota = route.access === 'supplier' ? await options.useQuota?.(caller) : undefined;
      if (quota !== undefined) ctx.set(quota.headers);
      if (quota?.refused) return answerRefusal(ctx, quota.refused);
    }
    const queryFault = checkQuery(ctx.querystring, declaredQuery);
    if (queryFault) return answerRefusal(ctx, queryFault);
    if (isLongRequest(route, ctx)) return answerLong(ctx, handle, request, longAnswers);
    if (route.streamedBody !== undefined) return answerStreamed(ctx, handle, route.streamedBody, request);
    if (body === undefined || (route.bodyIsOptional && isBodyless(ctx))) {
      options.scheduler.prioritize(ctx.res);
      return answerWith(ctx, handle, request);
    }
    const bytes = await body.read(ctx);
    if (isRefused(bytes)) {
      return bytes.code === 'request_too_large' ? answerLate(ctx, bytes) : answerRefusal(ctx, bytes);
    }
    request.isLarge = isLarge(bytes);
    if (!request.isLarge) options.scheduler.prioritize(ctx.res);
    const work = async (): Promise<Refused | undefined> => {
      const parsed = await body.parse(bytes, request.isLarge);
      if (isRefused(parsed)) return parsed;
      request.body = parsed.value;
      request.sent = parsed.sent;
      request.isPlain = parsed.isPlain;
      request.sentText = parsed.text;
      await answerWith(ctx, handle, request);
      return undefined;
    };
    if (!request.isLarge) {
      const refused = await work();
      return refused && answerRefusal(ctx, refused);
    }
    const release = await largeBodies.acquire('', hangUpSignal(ctx));
    if (release === undefined) throw new HungUp();
    const refused = await work().finally(release);
    return refused && answerLate(ctx, refused);
  };
}

/** Drains a refused body, so that its client gets to read the response. */
async function answerStreamed(
  ctx: Context,
  handle: Handler,
  rules: StreamedBodyRules,
  request: ReceivedRequest,
): Promise<void> {
  try {
    const stream = openStreamedBody(ctx, rules);
    if (isRefused(stream)) return answerRefusal(ctx, stream);
    request.stream = stream;
    await answerWith(ctx, handle, request);
  } catch (error) {
    if (!(error instanceof BodyRejected)) throw error;
    answerRefusal(ctx, error.refused);
  } finally {
    drain(ctx.req);
  }
}

function isLongRequest({ isLong }: Route, ctx: Context): boolean {
  return isLong === true || (isLong !== undefined && isLong(new URLSearchParams(ctx.querystring)));
}

async function answerLong(
  ctx: Context,
  handle: Handler,
  request: ReceivedRequest,
  longAnswers: LongAnswers,
): Promise<void> {
  const refused = await longAnswers.run(ctx, request.caller.keyId, async () => {
    const outcome = await handle(request, ctx);
    if (isRefused(outcome)) answerRefusal(ctx, outcome);
    else await answerLongReply(ctx, longAnswers, outcome);
  });
  if (refused) answerRefusal(ctx, refused);
}

async function answerWith(ctx: Context, handle: Handler, request: ReceivedRequest): Promise<void> {
  const outcome = await handle(request, ctx);
  // Serializing the response to a large body gets its own time slice.
  if (request.isLarge) await request.yieldToEventLoop();
  if (isRefused(outcome)) answerRefusal(ctx, outcome);
  else answerReply(ctx, outcome);
}

function logOf(ctx: Context): Log {
  return ctx.state['log'] as Log;
}

/** Returns why the role and scope of a key do not permit a route; undefined if they do. */
function denialOf(route: TokenRoute, { role, scope }: Caller): Refused | undefined {
  if (route.access === 'supplier') return scope === 'all' ? undefined : outOfScope(scope);
  if (role !== 'operator') return refuse('permission_denied');
  return allowsAction(scope, route.action) ? undefined : outOfScope(scope);
}

function outOfScope(scope: string): Refused {
  return refuse('permission_denied', {
    detail: `The scope of this key (${scope}) does not allow the operation. Use a key with another scope.`,
  });
}
