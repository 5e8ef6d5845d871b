import { constants, createZstdDecompress, type ZstdDecompress } from 'node:zlib';

/** Limits of content from a caller: a window of 8 MB, which all levels but the ultra ones keep, and few tiny frames, which cost time. */
const REQUEST_LIMITS: ZstdLimits = { windowLog: 23, frames: 2_000 };
const CHUNK_BYTES = 65_536;
const NOTHING: Buffer = Buffer.alloc(0);

/** What a content may have. */
export interface ZstdLimits {
  /** Base 2 logarithm of the window in bytes. */
  windowLog: number;
  frames: number;
}

/**
 * Decompresses zstd. Consecutive frames, skippable ones included, are one content, as members of gzip are; Node's own stream
 * silently stops after the first frame in a chunk.
 * @throws the error of zlib for content that is truncated, corrupt, or needs a larger window
 */
export async function* unpackZstd(
  packed: AsyncIterable<Buffer>,
  limits: ZstdLimits = REQUEST_LIMITS,
): AsyncGenerator<Buffer> {
  const source = packed[Symbol.asyncIterator]();
  let rest = NOTHING;
  try {
    for (let frames = 0; ; frames += 1) {
      if (frames === limits.frames) throw new RangeError('The content has too many frames.');
      rest = yield* unpackFrame(source, rest, limits.windowLog);
      if (rest.length === 0) return;
    }
  } finally {
    await source.return?.();
  }
}

/**
 * Unpacks one frame.
 * @param rest where it begins, if that was read already
 * @returns the bytes after the end of the frame
 */
async function* unpackFrame(
  source: AsyncIterator<Buffer>,
  rest: Buffer,
  windowLog: number,
): AsyncGenerator<Buffer, Buffer> {
  const frame = createZstdDecompress({
    chunkSize: CHUNK_BYTES,
    params: { [constants.ZSTD_d_windowLogMax]: windowLog },
  });
  // Readers get the error; without a reader, an unhandled error would end the process.
  frame.on('error', () => {});
  const feeding = feed(frame, source, rest);
  try {
    yield* frame as AsyncIterable<Buffer>;
    return await feeding;
  } finally {
    frame.destroy();
  }
}

/**
 * Feeds a frame chunk by chunk. Bytes after its end belong to the next frame. Never rejects.
 * @returns what it has left of the last chunk, which it does when it has ended
 */
async function feed(frame: ZstdDecompress, source: AsyncIterator<Buffer>, rest: Buffer): Promise<Buffer> {
  let givenBytes = 0;
  try {
    for (let chunk = rest.length > 0 ? rest : await next(source); chunk !== undefined; chunk = await next(source)) {
      const error = await new Promise((resolve) => {
        frame.write(chunk, resolve);
      });
      if (error) return NOTHING;
      givenBytes += chunk.length;
      const left = givenBytes - frame.bytesWritten;
      if (left > 0) return chunk.subarray(chunk.length - left);
    }
    frame.end();
  } catch (error) {
    frame.destroy(error as Error);
  }
  return NOTHING;
}

async function next(source: AsyncIterator<Buffer>): Promise<Buffer | undefined> {
  const { done, value } = await source.next();
  return done === true ? undefined : value;
}
