import type { IncomingMessage } from 'node:http';
import { PassThrough, type Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Context } from 'koa';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import { BodyRejected, bytesThrough, contentEncodingOf, HungUp } from './request-bytes.ts';
import { unpackZstd } from './zstd-frames.ts';

/** Streamed bodies that a route accepts. */
export interface StreamedBodyRules {
  mediaTypes: readonly string[];
  /** Maximum number of bytes after decompression. */
  limitBytes: number;
}

/** A decompressed body as it arrives; can be read once. Reading throws HungUp and BodyRejected. */
export type StreamedBody = AsyncIterable<Buffer>;

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
  const through = encoding === 'gzip' ? createGunzip({ chunkSize: CHUNK_BYTES }) : new PassThrough();
  const received = bytesThrough(ctx.req, through);
  return limited(encoding === 'zstd' ? unpackZstd(received) : received, rules.limitBytes, () =>
    watchRate(ctx.req, through),
  );
}

/**
 * Discards the rest of a rejected body. Many clients read the response only after they have sent everything, and would otherwise report a
 * broken connection. The request deadline limits this.
 */
export function drain(request: IncomingMessage): void {
  if (!request.complete) request.resume();
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

/** @param watch called when reading begins; returns what ends the watch */
async function* limited(
  chunks: AsyncIterable<Buffer>,
  limitBytes: number,
  watch: () => () => void,
): AsyncGenerator<Buffer> {
  let length = 0;
  const stopWatching = watch();
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
  } finally {
    stopWatching();
  }
}

function tooLarge(limitBytes: number): Refused {
  return refuse('request_too_large', {
    detail: `The body is larger than ${limitBytes} bytes after decompression, the limit of this operation.`,
  });
}
