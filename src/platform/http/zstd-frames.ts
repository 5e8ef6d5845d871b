import { constants, createZstdDecompress, type ZstdDecompress } from 'node:zlib';

/** Limits of content from callers: a window of 8 MB, sufficient for all but the ultra levels, and few frames, because tiny frames cost time. */
const REQUEST_LIMITS: ZstdLimits = { windowLog: 23, frames: 2_000 };
const CHUNK_BYTES = 65_536;
const NOTHING: Buffer = Buffer.alloc(0);

/** Limits of compressed content. */
export interface ZstdLimits {
  /** Base-2 logarithm of the window size in bytes. */
  windowLog: number;
  frames: number;
}

/**
 * Decompresses zstd. Consecutive frames, including skippable ones, are one content, like members of gzip. Node's own stream silently stops
 * after the first frame in a chunk.
 * @throws zlib errors for content that is truncated, corrupt or needs a larger window
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
 * Decompresses one frame.
 * @param rest bytes of the frame that were already read
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
  // Readers get the error. Without a reader, an unhandled error would end the process.
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
 * Feeds chunks to a frame until it ends. Never rejects.
 * @returns the rest of the last chunk, which belongs to the next frame
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
