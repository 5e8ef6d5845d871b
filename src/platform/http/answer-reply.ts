import type { Context } from 'koa';
import { isTransientError } from '../database/faults.ts';
import { loggedFault, type Log } from '../log.ts';
import { isStream, type Reply } from './route.ts';
import { sendJson } from './send-json.ts';

/** On the response that a stream is sent by. */
const LISTENERS_OF_STREAM = 20;

/** Answers what a route replied. */
export function answerReply(ctx: Context, reply: Reply): void {
  if (!isStream(reply.body)) {
    sendJson(ctx, reply.status, reply.bodyJson ?? JSON.stringify(reply.body), reply.headers);
    return;
  }
  ctx.status = reply.status;
  if (reply.headers) ctx.set(reply.headers);
  ctx.type = reply.mediaType ?? 'application/json';
  reply.body.once('error', (error: unknown) => logCutOff(ctx, error));
  // Koa's pipeline adds several to those that tell when an answer has ended; Node would warn of a leak.
  ctx.res.setMaxListeners(LISTENERS_OF_STREAM);
  ctx.body = reply.body;
}

/** A stream that failed after its head was sent: the answer is cut off, and only the log can say why. */
function logCutOff(ctx: Context, error: unknown): void {
  // The client hung up; the line of the request says so.
  if ((error as { code?: string }).code === 'ERR_STREAM_PREMATURE_CLOSE') return;
  const level = isTransientError(error) ? 'warn' : 'error';
  (ctx.state['log'] as Log)[level](
    { requestId: ctx.state['requestId'], route: ctx.state['route'], fault: loggedFault(error) },
    'an answer was cut off',
  );
}
