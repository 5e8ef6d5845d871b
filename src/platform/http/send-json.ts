import type { Context } from 'koa';
import type { Log } from '../log.ts';
import { answerLanguage, frenchAnswer } from './answer-language.ts';
import type { LongAnswers } from './long-answers.ts';
import { isStream, type Reply } from './route.ts';

/** Header names and values alternating, a form that Node writes without checking each one. */
type RawHeaders = readonly string[];

/** A client that reads nothing of a response for this time is disconnected. */
const UNREAD_MS = 30_000;

const TYPE = 'application/json; charset=utf-8';

/**
 * Sends a JSON response in one piece, with all headers in one call. Setting its dozen headers one by one and sending through Koa took a
 * tenth of the time of a request (docs/performance.md). Headers set before are kept. Does nothing if the client has disconnected.
 * @param json the body, as a string or bytes
 * @param headers additional headers of this response
 */
export function sendJson(ctx: Context, status: number, json: string | Buffer, headers?: Record<string, string>): void {
  const { res } = ctx;
  if (res.headersSent || !ctx.writable) return;
  const head = [
    ...(ctx.state['headers'] as RawHeaders),
    'content-type',
    TYPE,
    'content-length',
    String(Buffer.byteLength(json)),
  ];
  for (const name in headers) head.push(name, headers[name] as string);
  res.writeHead(status, head);
  res.end(json);
  if (res.writableLength > 0) res.setTimeout(UNREAD_MS, () => res.destroy());
}

/** Sets the common headers that the response does not have yet, unless it is already sent. */
export function setHeaders(ctx: Context): void {
  const { res } = ctx;
  if (res.headersSent) return;
  const headers = ctx.state['headers'] as RawHeaders;
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] as string;
    // A link to the next page and one about a deprecation are both sent.
    if (name === 'link' || !res.hasHeader(name)) res.appendHeader(name, headers[at + 1] as string);
  }
}

/** Sends the reply of a route. */
export function answerReply(ctx: Context, reply: Reply): void {
  const json = jsonOf(reply);
  const french = answerLanguage(ctx) === 'fr' ? frenchAnswer(json.toString()) : undefined;
  if (french === undefined) sendJson(ctx, reply.status, json, reply.headers);
  else sendJson(ctx, reply.status, french, { ...reply.headers, 'content-language': 'fr' });
}

/**
 * Sends the reply of a route with `isLong` in chunks.
 * @throws errors of the first pieces
 */
export async function answerLongReply(ctx: Context, answers: LongAnswers, reply: Reply): Promise<void> {
  const french =
    answerLanguage(ctx) === 'fr' && !isStream(reply.body) ? frenchAnswer(jsonOf(reply).toString()) : undefined;
  if (french !== undefined) ctx.set('content-language', 'fr');
  const pieces = isStream(reply.body) ? reply.body : [french ?? jsonOf(reply)];
  await answers.send(ctx, ctx.state['log'] as Log, pieces);
  ctx.status = reply.status;
  if (reply.headers) ctx.set(reply.headers);
  ctx.type = reply.mediaType ?? 'application/json';
}

function jsonOf({ body, bodyJson }: Reply): string | Buffer {
  return bodyJson ?? JSON.stringify(body);
}
