import bodyParser from 'koa-bodyparser';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Context } from 'koa';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { LARGE_BODY_BYTES, type LargeBodyGate } from './large-body-gate.ts';

/** The client disconnected before the whole body was sent. */
export class HungUp extends Error {
  override name = 'HungUp';
}

/** Ends the reading of a rejected body. */
export class BodyRejected extends Error {
  readonly refused: Refused;

  constructor(refused: Refused) {
    super(refused.code);
    this.refused = refused;
  }
}

export interface BodyLimits {
  limitBytes: number;
  gate: LargeBodyGate;
}

/** Reads the body of a request. A large one uses the organization's share of the gate. */
export type ReadBytes = (
  request: IncomingMessage,
  response: ServerResponse,
  organisation: string,
) => Promise<Buffer | Refused>;

const unpackers: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['identity', () => new PassThrough()],
  ['gzip', () => createGunzip()],
  ['deflate', () => createInflate()],
  ['br', () => createBrotliDecompress()],
]);

/**
 * Creates the body reader of a route, which decompresses and reads at most `limitBytes`. koa-bodyparser collects the bytes of small
 * uncompressed bodies with a Content-Length. Small bodies never wait; a large one waits for the gate, and keeps its capacity until the
 * request is answered. The reader throws HungUp.
 */
export function createBodyReader({ limitBytes, gate }: BodyLimits): ReadBytes {
  const collect = createCollector(limitBytes);
  return async (request, response, organisation) => {
    const encoding = contentEncodingOf(request.headers['content-encoding']);
    const isPlain = encoding === undefined || encoding === '' || encoding === 'identity';
    const createUnpacker = unpackers.get(encoding || 'identity');
    if (createUnpacker === undefined) {
      return refuse('unsupported_media_type', {
        detail: 'The content encoding is not supported. Use gzip, deflate, br or none.',
      });
    }
    const declared = Number(request.headers['content-length'] ?? 0);
    if (isPlain && declared > limitBytes) return tooLarge(limitBytes);
    const enter = () => gate.enter(response, isPlain && declared > 0 ? declared : limitBytes, organisation);
    const isKnownLarge = isPlain && declared > LARGE_BODY_BYTES;
    const refused = isKnownLarge ? await enter() : undefined;
    if (refused) return refused;
    // Such a request emits no `end`.
    if (request.destroyed && !request.complete) throw new HungUp();
    if (encoding === undefined && declared > 0 && !isKnownLarge) return collect(request);
    return collectMetered(request, createUnpacker(), { limitBytes, gate }, isKnownLarge ? undefined : enter);
  };
}

/** Returns raw bytes, because json-body.ts checks UTF-8 and parses without losing digits. */
function createCollector(limitBytes: number): (request: IncomingMessage) => Promise<Buffer> {
  const read = bodyParser({ enableTypes: ['text'], textLimit: limitBytes, encoding: null } as never);
  const isText = () => 'text/plain';
  return async (req) => {
    const context: { req: typeof req; request: { is(): string; body?: unknown } } = { req, request: { is: isText } };
    try {
      await read(context as unknown as Context, async () => {});
    } catch (error) {
      // The only possible error of a small uncompressed body: the client disconnected.
      if ((error as { type?: unknown }).type === 'request.aborted') throw new HungUp('', { cause: error });
      throw error;
    }
    const { body } = context.request;
    return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  };
}

/** Counts the bytes of a body while it is received and decompressed, and waits for the gate if it turns out to be large. */
async function collectMetered(
  request: IncomingMessage,
  unpacker: Transform,
  { limitBytes, gate }: BodyLimits,
  enter: (() => Promise<Refused | undefined>) | undefined,
): Promise<Buffer | Refused> {
  const detail = `The body did not arrive within ${gate.arrivesMs / 1_000} seconds.`;
  const setDeadline = () =>
    setTimeout(() => unpacker.destroy(new BodyRejected(refuse('parse_error', { detail }))), gate.arrivesMs);
  let deadline = enter === undefined ? setDeadline() : undefined;
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of bytesThrough(request, unpacker)) {
      length += chunk.length;
      if (length > limitBytes) return tooLarge(limitBytes);
      if (length > LARGE_BODY_BYTES) {
        const refused = deadline === undefined ? await enter?.() : undefined;
        if (refused) return refused;
        deadline ??= setDeadline();
        await gate.nextChunk();
      }
      chunks.push(chunk);
    }
    return Buffer.concat(chunks, length);
  } catch (error) {
    if (error instanceof BodyRejected) return error.refused;
    if (error instanceof HungUp) throw error;
    return refuse('parse_error', { detail: 'The body does not match its content encoding, or it is incomplete.' });
  } finally {
    clearTimeout(deadline);
  }
}

/** Pipes the request through a stream, and leaves the connection open when the stream ends or fails. Throws HungUp. */
export async function* bytesThrough(request: IncomingMessage, through: Transform): AsyncGenerator<Buffer> {
  // `close` is not emitted again.
  if (request.destroyed && !request.complete) throw new HungUp();
  const onClose = () => {
    if (!request.complete) through.destroy(new HungUp());
  };
  request.once('close', onClose);
  request.once('error', onClose);
  // Readers get the error. After the end of the content there is no reader, and an unhandled error would end the process.
  through.on('error', () => {});
  request.pipe(through);
  try {
    yield* through as AsyncIterable<Buffer>;
  } finally {
    request.removeListener('close', onClose);
    request.removeListener('error', onClose);
    request.on('error', () => {});
    request.unpipe();
    through.destroy();
  }
}

function tooLarge(limitBytes: number): Refused {
  return refuse('request_too_large', {
    detail: `The body is larger than ${limitBytes} bytes, the limit of this operation.`,
  });
}

/** Returns whether unread bytes of a rejected body may be left on the connection. */
export function isLeftUnread(request: IncomingMessage, outcome: unknown): boolean {
  return isRefused(outcome) && !request.complete;
}

/** The content encoding of a request in lower case; `x-gzip` is `gzip` (RFC 9110, 8.4.1.3). */
export function contentEncodingOf(header: string | undefined): string | undefined {
  const encoding = header?.trim().toLowerCase();
  return encoding === 'x-gzip' ? 'gzip' : encoding;
}
