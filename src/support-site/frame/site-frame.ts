import { randomUUID } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { isTransientError } from '../../platform/database/faults.ts';
import { refuseUnavailable } from '../../platform/http/refuse-unavailable.ts';
import { answerHeaders } from '../../platform/http/answer-headers.ts';
import { beginRequestSpan, endRequestSpan } from '../../platform/http/request-span.ts';
import { loggedFault, type Log } from '../../platform/log.ts';
import { refusals, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { html, type Html } from './html.ts';
import { faultBody } from './layout.ts';

/** Nothing from other hosts, nothing written into the page, no frame around it. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

interface FrameDeps {
  log: Log;
  isBehindTls: boolean;
  /** Shows a page of refusal within the frame of the site. */
  showFault(ctx: Context, status: number, title: string, body: Html): void;
}

/** What surrounds every request of the site: its id, the headers of every answer, one log line, and a page whatever fails. */
export function siteFrame(deps: FrameDeps): Middleware {
  const headers = {
    ...answerHeaders(deps.isBehindTls),
    'content-security-policy': POLICY,
    // Not no-referrer: browsers would then send forms without saying where they come from.
    'referrer-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  };
  return async (ctx, next) => {
    const started = performance.now();
    const requestId = randomUUID();
    ctx.state['requestId'] = requestId;
    ctx.set({ ...headers, 'x-request-id': requestId });
    const span = beginRequestSpan(ctx);
    ctx.state['traceId'] = span?.place.traceId;
    ctx.res.once('close', () => {
      const durationMs = Math.round((performance.now() - started) * 10) / 10;
      // The template, never the path: paths carry account numbers.
      const route = (ctx.state['route'] as string | undefined) ?? 'none';
      const { method, status } = ctx;
      const isQuiet = status < 400 && (route.startsWith('/healthz/') || route.startsWith('/assets/'));
      deps.log[isQuiet ? 'debug' : 'info'](
        { requestId, traceId: span?.place.traceId, method, route, status, durationMs },
        'request',
      );
      endRequestSpan(span, { method, route, status });
    });
    try {
      await (span === undefined ? next() : span.around(next));
      if (ctx.status === 404 && ctx.body === undefined) showRefused(deps, ctx, refuse('not_found'));
    } catch (error) {
      answerFault(deps, ctx, error);
    }
  };
}

function answerFault(deps: FrameDeps, ctx: Context, error: unknown): void {
  const { requestId } = ctx.state as { requestId: string };
  const status = (error as { status?: unknown }).status;
  if (status === 413) return showRefused(deps, ctx, refuse('request_too_large', { detail: 'The form is too large.' }));
  if (status === 400 || status === 415) {
    return showRefused(deps, ctx, refuse('parse_error', { detail: 'This is no form that a page of the site sends.' }));
  }
  if (isTransientError(error)) {
    deps.log.warn({ requestId, fault: loggedFault(error) }, 'a part of the service is out of reach');
    return showRefused(deps, ctx, refuseUnavailable(error, ctx.method));
  }
  deps.log.error({ requestId, fault: loggedFault(error) }, 'a page failed by a fault of ours');
  showRefused(deps, ctx, refuse('error'));
}

/** Shows a refusal as a page, with the status of its code. */
export function showRefused(deps: Pick<FrameDeps, 'showFault'>, ctx: Context, refused: Refused): void {
  const { status, sentence } = refusals[refused.code];
  const faults = (refused.violations ?? []).map(({ attr, detail }) => html`<li><code>${attr}</code> ${detail}</li>`);
  const body = html`${
    faults.length > 0 &&
    html`<ul>
      ${faults}
    </ul>`
  }
  ${faultBody(refused.detail ?? sentence, ctx.state)}`;
  if (refused.retryAfterSeconds !== undefined) ctx.set('retry-after', String(refused.retryAfterSeconds));
  deps.showFault(ctx, status, titleOf(status), body);
}

function titleOf(status: number): string {
  if (status === 403) return 'Not allowed';
  if (status === 404) return 'Not found';
  if (status === 429) return 'Too many tries';
  if (status === 503) return 'Out of reach';
  return status >= 500 ? 'A fault of ours' : 'That cannot be done';
}
