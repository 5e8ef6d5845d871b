import { constants, createZstdDecompress, type ZstdDecompress } from 'node:zlib';

/** What a frame may ask us to remember: 8 MB, as every level of the format but the ultra ones does. */
const WINDOW_LOG_MAX = 23;
/** A tool that packs in parallel writes a frame for some megabytes; tiny ones without end only cost time. */
const FRAMES_MAX = 2_000;
const CHUNK_BYTES = 65_536;
const NOTHING: Buffer = Buffer.alloc(0);

/**
 * Unpacks zstd. Several frames one after the other are one content, as several members of gzip are; Node's own stream ends
 * after the first one in a chunk and passes over the rest without a word.
 * @throws what zlib throws for content that is cut off, broken, or made for a larger window
 */
export async function* unpackZstd(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const source = packed[Symbol.asyncIterator]();
  let rest = NOTHING;
  try {
    for (let frames = 0; ; frames += 1) {
      if (frames === FRAMES_MAX) throw new RangeError('The content has too many frames.');
      rest = yield* unpackFrame(source, rest);
      if (rest.length === 0) return;
    }
  } finally {
    await source.return?.();
  }
}

/**
 * Unpacks one frame.
 * @param rest where it begins, if that was read already
 * @returns what was read beyond its end
 */
async function* unpackFrame(source: AsyncIterator<Buffer>, rest: Buffer): AsyncGenerator<Buffer, Buffer> {
  const frame = createZstdDecompress({
    chunkSize: CHUNK_BYTES,
    params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG_MAX },
  });
  // Whoever reads it is told of an error; one that comes when nobody reads any more must not end the process.
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
 * Gives a frame chunk by chunk what it takes. Whatever came behind its end would be an error to it, and belongs to the next one. Never rejects.
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
