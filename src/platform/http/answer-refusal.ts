import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'koa';
import type { Refused } from '../../vocabulary/refusals.ts';
import { wantsProblem } from './accept-header.ts';
import { problemOf, renderRefusal } from './refusal-response.ts';
import { sendJson } from './send-json.ts';

/** How long those wait for an answer who may have many more such requests. */
const LATE_MS = 100;

/**
 * Answers who was not let in, and whose large body was not worth a look, and not at once: who sends the next request when the
 * last one was answered would use up the event loop with answers that cost little one by one.
 */
export async function answerLate(ctx: Context, refused: Refused): Promise<void> {
  await sleep(LATE_MS);
  answerRefusal(ctx, refused);
}

/** Writes a rejection as the response; also used by middleware. */
export function answerRefusal(ctx: Context, refused: Refused): void {
  const requestId = ctx.state['requestId'] as string;
  const response = renderRefusal(refused, requestId);
  const asProblem = wantsProblem(ctx.get('accept'));
  ctx.state['code'] = refused.code;
  if (!asProblem) {
    sendJson(ctx, response.status, JSON.stringify(response.body), response.headers);
    return;
  }
  ctx.status = response.status;
  ctx.set(response.headers);
  ctx.type = 'application/problem+json';
  ctx.body = JSON.stringify(problemOf(response, refused.code, requestId));
}
