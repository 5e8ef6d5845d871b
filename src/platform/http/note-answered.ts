import type { Context } from 'koa';
import { parseTraceparent, traceparentOf } from '../../vocabulary/trace-header.ts';
import type { Log } from '../log.ts';
import { startSpan, type OpenSpan } from '../traces/traces.ts';
import type { Caller } from './route.ts';

/** Measurements of a request. `route` is the path template, because paths contain account numbers. */
export interface AnsweredRequest {
  method: string;
  route: string;
  status: number;
  code?: string | undefined;
  durationSeconds: number;
}

/** Status in logs and metrics for a client that disconnected before the response; never sent. */
const STATUS_HUNG_UP = 499;

/** Logs a request, ends its span and counts it, after its response was sent or its client disconnected. */
export function noteAnswered(
  ctx: Context,
  durationMs: number,
  span: OpenSpan | undefined,
  { log, onAnswered }: { log: Log; onAnswered?(answered: AnsweredRequest): void },
): void {
  // The template, because paths contain account numbers.
  const route = (ctx.state['route'] as string | undefined) ?? 'none';
  const hasHungUp = !ctx.res.headersSent;
  const code = hasHungUp ? 'hung_up' : (ctx.state['code'] as string | undefined);
  const status = hasHungUp ? STATUS_HUNG_UP : ctx.status;
  log[isQuiet(route, status) ? 'debug' : 'info'](
    {
      requestId: ctx.state['requestId'],
      traceId: span?.traceContext.traceId,
      method: ctx.method,
      route,
      status,
      code,
      key: (ctx.state['caller'] as Caller | undefined)?.keyId,
      durationMs: Math.round(durationMs * 10) / 10,
      complete: ctx.res.writableFinished,
    },
    'request',
  );
  endRequestSpan(span, { method: ctx.method, route, status, code });
  onAnswered?.({ method: ctx.method, route, status, code, durationSeconds: durationMs / 1_000 });
}

/** Successful health checks, which occur every few seconds, are logged at debug level. */
function isQuiet(route: string, status: number): boolean {
  return status === 200 && route.startsWith('/healthz/');
}

/** Methods that keep their name in metrics and spans, since a client can send any other. */
const KNOWN_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'CONNECT']);
/** Health checks and static files are not traced. */
const UNTOLD = /^\/(?:healthz|assets)\//;
const FAULT_OF_OURS = 500;

/** Method name for metrics and spans; unknown methods are grouped. */
export function knownMethod(method: string): string {
  return KNOWN_METHODS.has(method) ? method : '_OTHER';
}

/**
 * Starts the span of a request, in the trace of its `traceparent` header if present, and returns it in the header `traceresponse`.
 * `tracestate` and `baggage` are ignored, because they may contain anything.
 * @returns undefined if tracing is off
 */
export function beginRequestSpan(ctx: Context): OpenSpan | undefined {
  if (UNTOLD.test(ctx.url)) return undefined;
  const parent = parseTraceparent(ctx.get('traceparent'));
  const span = startSpan({ name: 'request', kind: 'server', ...(parent ? { parent, isParentForeign: true } : {}) });
  if (span !== undefined) ctx.res.setHeader('traceresponse', traceparentOf(span.traceContext));
  return span;
}

/** Ends the span, named after the path template, because paths contain account numbers. */
export function endRequestSpan(
  span: OpenSpan | undefined,
  { method, route, status, code }: { method: string; route: string; status: number; code?: string | undefined },
): void {
  if (span === undefined) return;
  const known = knownMethod(method);
  span.rename(`${known} ${route}`);
  span.set({
    'http.request.method': known,
    'http.route': route,
    'http.response.status_code': status,
    ...(code === undefined ? {} : { 'gangway.code': code }),
  });
  if (status >= FAULT_OF_OURS) span.fail(code ?? String(status));
  span.end();
}
