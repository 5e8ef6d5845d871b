import type { Context } from 'koa';
import type { Log } from '../log.ts';
import type { OpenSpan } from '../traces/traces.ts';
import { endRequestSpan } from './request-span.ts';
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
