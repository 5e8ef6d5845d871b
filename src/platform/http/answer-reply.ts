import type { Context } from 'koa';
import type { Log } from '../log.ts';
import type { LongAnswers } from './long-answers.ts';
import { isStream, type Reply } from './route.ts';
import { sendJson } from './send-json.ts';

/** Sends the reply of a route. */
export function answerReply(ctx: Context, reply: Reply): void {
  sendJson(ctx, reply.status, jsonOf(reply), reply.headers);
}

/**
 * Sends the reply of a route with `isLong` in chunks.
 * @throws errors of the first pieces
 */
export async function answerLongReply(ctx: Context, answers: LongAnswers, reply: Reply): Promise<void> {
  const pieces = isStream(reply.body) ? reply.body : [jsonOf(reply)];
  await answers.send(ctx, ctx.state['log'] as Log, pieces);
  ctx.status = reply.status;
  if (reply.headers) ctx.set(reply.headers);
  ctx.type = reply.mediaType ?? 'application/json';
}

function jsonOf({ body, bodyJson }: Reply): string | Buffer {
  return bodyJson ?? JSON.stringify(body);
}
