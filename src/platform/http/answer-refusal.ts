import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'koa';
import { pageOfCode } from '../../vocabulary/remedies.ts';
import { refusals, refuse, type RefusalCode, type Refused } from '../../vocabulary/refusals.ts';
import { VIOLATIONS_LISTED_MAX } from '../../vocabulary/violations.ts';
import { isAnswerLost } from '../database/lost-answer.ts';
import { wantsProblem, answerLanguage, frenchRefusal, frenchTitle } from './answer-language.ts';
import { sendJson } from './send-json.ts';

/** The scheme of clients with OAuth, which expect a challenge of RFC 6750. */
const BEARER = /^bearer /i;
/** Delay of responses to clients that may send many more such requests. */
const LATE_MS = 100;

/**
 * Answers unauthenticated requests and oversized bodies with a delay: a client that sends its next request after each response would
 * otherwise use up the event loop with many cheap responses.
 */
export async function answerLate(ctx: Context, refused: Refused): Promise<void> {
  await late();
  answerRefusal(ctx, refused);
}

/** The delay of `answerLate`, for responses in another format. */
export async function late(): Promise<void> {
  await sleep(LATE_MS);
}

/** Writes a refusal as the response. */
export function answerRefusal(ctx: Context, refused: Refused): void {
  const requestId = ctx.state['requestId'] as string;
  const language = answerLanguage(ctx);
  const response = renderRefusal(refused, requestId);
  response.headers['content-language'] = language;
  if (language === 'fr') response.body = frenchRefusal(response.body);
  if (response.status === 401 && BEARER.test(ctx.get('authorization'))) {
    response.headers['www-authenticate'] = 'Bearer error="invalid_token"';
  }
  const asProblem = wantsProblem(ctx.get('accept'));
  ctx.state['code'] = refused.code;
  if (!asProblem) {
    sendJson(ctx, response.status, JSON.stringify(response.body), response.headers);
    return;
  }
  ctx.status = response.status;
  ctx.set(response.headers);
  ctx.type = 'application/problem+json';
  const problem = problemOf(response, refused.code, requestId);
  if (language === 'fr') problem['title'] = frenchTitle(refused.code);
  ctx.body = JSON.stringify(problem);
}

/** How long a client should wait before it retries. */
const RETRY_AFTER_SECONDS = 5;
const OUTCOME_UNKNOWN =
  'A part of the service did not respond in time, so the outcome of the request is unknown. Send the same request again after the time in Retry-After: stored data is recognized by its numbers, ' +
  'except for transactions with check_previously_added=false and batches of supply points, which are recognized only by an Idempotency-Key.';

/**
 * Refuses a request because a dependency is unavailable; with `outcome: unknown` if a write may have been executed.
 * @param method of the request; reads have no unknown outcome
 */
export function refuseUnavailable(error: unknown, method: string): Refused {
  const retryAfterSeconds = RETRY_AFTER_SECONDS;
  return method !== 'GET' && method !== 'HEAD' && isAnswerLost(error)
    ? refuse('service_unavailable', { retryAfterSeconds, detail: OUTCOME_UNKNOWN, extras: { outcome: 'unknown' } })
    : refuse('service_unavailable', { retryAfterSeconds });
}

interface ErrorResponse {
  status: number;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

/**
 * The only conversion of a refusal to an HTTP response.
 * @param refused its code determines status and default detail
 * @param requestId included in responses that a client may report
 */
export function renderRefusal(refused: Refused, requestId: string): ErrorResponse {
  const entry = refusals[refused.code];
  const violations = refused.violations ?? [];
  const headers: Record<string, string> = {};
  if (refused.retryAfterSeconds !== undefined) headers['retry-after'] = String(refused.retryAfterSeconds);
  if (entry.status === 401) headers['www-authenticate'] = 'Token';
  const body: Record<string, unknown> = {
    detail: refused.detail ?? entry.sentence,
    code: refused.code,
    errors: violations.slice(0, VIOLATIONS_LISTED_MAX),
    ...refused.extras,
    doc_url: pageOfCode(refused.code),
  };
  if (refused.truncated || violations.length > VIOLATIONS_LISTED_MAX) body['truncated'] = true;
  if (entry.status >= 500) body['request_id'] = requestId;
  return { status: entry.status, headers, body };
}

/** Converts a response to the format of RFC 9457, with all its members. */
function problemOf(response: ErrorResponse, code: RefusalCode, requestId: string): Record<string, unknown> {
  return {
    type: pageOfCode(code),
    title: refusals[code].sentence,
    status: response.status,
    instance: requestId,
    ...response.body,
  };
}
