import { randomUUID } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { isTransientError } from '../../platform/database/faults.ts';
import { refuseUnavailable } from '../../platform/http/answer-refusal.ts';
import { answerHeaders } from '../../platform/http/answer-headers.ts';
import { beginRequestSpan, endRequestSpan } from '../../platform/http/note-answered.ts';
import { loggedFault, type Log } from '../../platform/log.ts';
import { refusals, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { html, type Html } from './html.ts';
import { t, translated } from './language.ts';
import { faultBody } from './layout.ts';
import { PageRefusal } from './page.ts';
import { compressed } from '../../platform/http/served-file.ts';

/** Forbids content of other hosts, inline code, styles other than that of the site, and framing. */
const policyOf = (styleHash: string) =>
  `default-src 'none'; script-src 'self'; style-src 'sha256-${styleHash}'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`;

interface FrameDeps {
  log: Log;
  isBehindTls: boolean;
  /** SHA-256 of the style sheet, in base64. */
  styleHash: string;
  /** Writes a page with the frame of the site. */
  showPage(ctx: Context, status: number, shown: { title: string; body: Html }): void;
}

/** Middleware of every request: request id, headers, one log line, and error pages. */
export function siteFrame(deps: FrameDeps): Middleware {
  const headers = {
    ...answerHeaders(deps.isBehindTls),
    'content-security-policy': policyOf(deps.styleHash),
    // With no-referrer, browsers would send forms without an origin.
    'referrer-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  };
  return async (ctx, next) => {
    const started = performance.now();
    const requestId = randomUUID();
    ctx.state['requestId'] = requestId;
    ctx.set({ ...headers, 'x-request-id': requestId });
    const span = beginRequestSpan(ctx);
    ctx.state['traceId'] = span?.traceContext.traceId;
    ctx.res.once('close', () => {
      const durationMs = Math.round((performance.now() - started) * 10) / 10;
      // The template, because paths contain account numbers.
      const route = (ctx.state['route'] as string | undefined) ?? 'none';
      const { method, status } = ctx;
      const isQuiet = status < 400 && (route.startsWith('/healthz/') || route.startsWith('/assets/'));
      deps.log[isQuiet ? 'debug' : 'info'](
        { requestId, traceId: span?.traceContext.traceId, method, route, status, durationMs },
        'request',
      );
      endRequestSpan(span, { method, route, status });
    });
    try {
      await (span === undefined ? next() : span.around(next));
      if (ctx.status === 404 && ctx.body === undefined) {
        showRefused(deps, ctx, refuse('not_found', { detail: 'This page does not exist.' }));
      }
    } catch (error) {
      answerFault(deps, ctx, error);
    }
  };
}

function answerFault(deps: FrameDeps, ctx: Context, error: unknown): void {
  if (error instanceof PageRefusal) return showRefused(deps, ctx, error.refused);
  const { requestId } = ctx.state as { requestId: string };
  const status = (error as { status?: unknown }).status;
  if (status === 413) return showRefused(deps, ctx, refuse('request_too_large', { detail: 'The form is too large.' }));
  if (status === 400 || status === 415) {
    return showRefused(deps, ctx, refuse('parse_error', { detail: 'The form is malformed.' }));
  }
  if (isTransientError(error)) {
    deps.log.warn({ requestId, fault: loggedFault(error) }, 'dependency unavailable');
    return showRefused(deps, ctx, refuseUnavailable(error, ctx.method));
  }
  deps.log.error({ requestId, fault: loggedFault(error) }, 'unhandled error');
  showRefused(deps, ctx, refuse('error'));
}

/** Shows a refusal as an error page with the status of its code. */
function showRefused({ showPage }: FrameDeps, ctx: Context, refused: Refused): void {
  const { status, sentence } = refusals[refused.code];
  const faults = (refused.violations ?? []).map(
    ({ attr, detail }) => html`<li><code>${attr}</code> ${translated(detail)}</li>`,
  );
  const body = html`${
    faults.length > 0 &&
    html`<ul>
      ${faults}
    </ul>`
  }
  ${faultBody(translated(refused.detail ?? sentence), ctx.state)}`;
  if (refused.retryAfterSeconds !== undefined) ctx.set('retry-after', String(refused.retryAfterSeconds));
  showPage(ctx, status, { title: titleOf(status), body });
}

function titleOf(status: number): string {
  if (status === 403) return t('Not allowed');
  if (status === 404) return t('Not found');
  if (status === 429) return t('Too many attempts');
  if (status === 503) return t('Temporarily unavailable');
  return status >= 500 ? t('Internal error') : t('The request was rejected');
}

/** A page of fewer bytes fits into one packet. */
const BYTES_MIN = 1_400;

/**
 * Compresses pages and their parts. A page that another site has made the browser open stays uncompressed, because it may contain text of
 * that site beside personal data, which the size of the compressed page would reveal (BREACH). Form tokens differ in every response.
 */
export const compressPages: Middleware = async (ctx, next) => {
  await next();
  if (typeof ctx.body !== 'string' || ctx.response.length < BYTES_MIN) return;
  ctx.vary(['accept-encoding', 'sec-fetch-site']);
  const encoding = ctx.acceptsEncodings('br', 'gzip', 'identity');
  const isOwn = ['same-origin', 'none'].includes(ctx.get('sec-fetch-site'));
  if (!isOwn || (encoding !== 'br' && encoding !== 'gzip')) return;
  const bytes = await compressed[encoding](Buffer.from(ctx.body));
  ctx.set('content-encoding', encoding);
  ctx.body = bytes;
};
