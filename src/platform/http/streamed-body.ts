import type { IncomingMessage } from 'node:http';
import { PassThrough, type Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Context } from 'koa';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import { contentEncodingOf, HungUp } from './request-bytes.ts';
import { unpackZstd } from './zstd-frames.ts';

/** Streamed bodies that a route accepts. */
export interface StreamedBodyRules {
  mediaTypes: readonly string[];
  /** Maximum number of bytes after decompression. */
  limitBytes: number;
}

/** A decompressed body as it arrives; can be read once. Reading throws HungUp and BodyNotTaken. */
export type StreamedBody = AsyncIterable<Buffer>;

/** Ends the reading of a rejected body; the route sends the refusal. */
export class BodyRejected extends Error {
  readonly refused: Refused;

  constructor(refused: Refused) {
    super(refused.code);
    this.refused = refused;
  }
}

/** Minimum rate in bytes per second, measured over seconds in which the service waits for the client. */
const RATE_MIN = 8_192;
const RATE_SECONDS = 15;

const CHUNK_BYTES = 65_536;
const ENCODINGS = 'gzip, zstd or none';

/** Opens the body of a request as a stream, or returns why it is rejected. Nothing is read before the stream is. */
export function openStreamedBody(ctx: Context, rules: StreamedBodyRules): StreamedBody | Refused {
  const sentType = ctx.get('content-type').split(';')[0]?.trim().toLowerCase() ?? '';
  if (!rules.mediaTypes.includes(sentType)) {
    return refuse('unsupported_media_type', { detail: `Send the body as ${rules.mediaTypes[0]}.` });
  }
  const encoding = contentEncodingOf(ctx.get('content-encoding')) || 'identity';
  if (encoding !== 'identity' && encoding !== 'gzip' && encoding !== 'zstd') {
    return refuse('unsupported_media_type', { detail: `The content encoding is not supported. Use ${ENCODINGS}.` });
  }
  // Compressed content larger than the limit would decompress to even more.
  if (Number(ctx.get('content-length')) > rules.limitBytes) return tooLarge(rules.limitBytes);
  const received = bytesThrough(
    ctx.req,
    encoding === 'gzip' ? createGunzip({ chunkSize: CHUNK_BYTES }) : new PassThrough(),
  );
  return limited(encoding === 'zstd' ? unpackZstd(received) : received, rules.limitBytes);
}

/**
 * Discards the rest of a rejected body. Many clients read the response only after they have sent everything, and would otherwise report a
 * broken connection. The request deadline limits this.
 */
export function drain(request: IncomingMessage): void {
  if (!request.complete) request.resume();
}

/** Pipes the request through a stream, and leaves the connection open when the stream ends or fails. */
async function* bytesThrough(request: IncomingMessage, through: Transform): AsyncGenerator<Buffer> {
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
  const stopWatching = watchRate(request, through);
  try {
    yield* through as AsyncIterable<Buffer>;
  } finally {
    stopWatching();
    request.removeListener('close', onClose);
    request.removeListener('error', onClose);
    request.on('error', () => {});
    request.unpipe();
    through.destroy();
  }
}

/** Ends a body that arrives too slowly, because others may wait for its slot. Time in which the service itself is busy does not count. */
function watchRate(request: IncomingMessage, through: Transform): () => void {
  let [seconds, before] = [0, request.socket.bytesRead];
  const timer = setInterval(() => {
    if (request.complete || through.readableLength > 0) return;
    seconds += 1;
    if (seconds < RATE_SECONDS) return;
    const received = request.socket.bytesRead - before;
    [seconds, before] = [0, request.socket.bytesRead];
    if (received >= RATE_MIN * RATE_SECONDS) return;
    const detail = `The body arrived at less than ${RATE_MIN} bytes per second. Send smaller parts, one at a time.`;
    through.destroy(new BodyRejected(refuse('parse_error', { detail })));
  }, 1_000);
  return () => clearInterval(timer);
}

async function* limited(chunks: AsyncIterable<Buffer>, limitBytes: number): AsyncGenerator<Buffer> {
  let length = 0;
  try {
    for await (const chunk of chunks) {
      length += chunk.length;
      if (length > limitBytes) throw new BodyRejected(tooLarge(limitBytes));
      yield chunk;
    }
  } catch (error) {
    if (error instanceof HungUp || error instanceof BodyRejected) throw error;
    throw new BodyRejected(
      refuse('parse_error', {
        detail: `The body does not match its content encoding, or it is incomplete. Use ${ENCODINGS}.`,
      }),
    );
  }
}

function tooLarge(limitBytes: number): Refused {
  return refuse('request_too_large', {
    detail: `The body is larger than ${limitBytes} bytes after decompression, the limit of this operation.`,
  });
}
