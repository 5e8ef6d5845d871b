import { constants, createZstdDecompress, type ZstdDecompress } from 'node:zlib';

/** What a frame may ask us to remember: 8 MB, as every level of the format but the ultra ones does. */
const WINDOW_LOG_MAX = 23;
/** A tool that packs in parallel writes a frame for some megabytes; tiny ones without end only cost time. */
const FRAMES_MAX = 2_000;
const CHUNK_BYTES = 65_536;

/**
 * Unpacks zstd. Several frames one after the other are one content, as several members of gzip are; Node's own stream ends
 * after the first one in a chunk and passes over the rest without a word.
 * @throws what zlib throws for content that is cut off, broken, or made for a larger window
 */
export async function* unpackZstd(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const source = packed[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  try {
    for (let frames = 0; ; frames += 1) {
      if (frames === FRAMES_MAX) throw new RangeError('The content has too many frames.');
      const input = new FrameInput(source, rest);
      yield* unpackFrame(input);
      rest = await input.unread();
      if (rest.length === 0) return;
    }
  } finally {
    await source.return?.();
  }
}

async function* unpackFrame(input: FrameInput): AsyncGenerator<Buffer> {
  const frame = createZstdDecompress({
    chunkSize: CHUNK_BYTES,
    params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG_MAX },
  });
  // Whoever reads it is told of an error; one that comes when nobody reads any more must not end the process.
  frame.on('error', () => {});
  input.consumed = () => frame.bytesWritten;
  const feeding = feed(frame, input);
  try {
    yield* frame as AsyncIterable<Buffer>;
    await feeding;
  } finally {
    frame.destroy();
  }
}

/** Gives a frame chunk by chunk what it takes. Whatever came behind its end would be an error to it, and belongs to the next one. Never rejects. */
async function feed(frame: ZstdDecompress, input: FrameInput): Promise<void> {
  try {
    for await (const chunk of input.chunks()) {
      const isTaken = await new Promise<boolean>((resolve) => {
        frame.write(chunk, (error) => resolve(!error));
      });
      if (!isTaken || input.hasUnread()) return;
    }
    frame.end();
  } catch (error) {
    frame.destroy(error as Error);
  }
}

/** What one frame is fed with; it keeps what it gave and the frame did not take. */
class FrameInput {
  readonly #source: AsyncIterator<Buffer>;
  #given: Buffer[] = [];
  #givenBytes = 0;
  #keptBytes = 0;
  #asking: Promise<IteratorResult<Buffer>> | undefined;
  /** Bytes that the frame has taken so far. */
  consumed = () => 0;

  constructor(source: AsyncIterator<Buffer>, rest: Buffer) {
    this.#source = source;
    if (rest.length > 0) this.#note(rest);
  }

  async *chunks(): AsyncGenerator<Buffer> {
    for (const chunk of [...this.#given]) yield chunk;
    for (;;) {
      const chunk = await this.#next();
      if (chunk === undefined) return;
      yield chunk;
    }
  }

  /** Whether the frame has left something of what it was given, which it does when it has ended. */
  hasUnread(): boolean {
    return this.#givenBytes > this.consumed();
  }

  /** What was given beyond the end of the frame, once it has ended. */
  async unread(): Promise<Buffer> {
    // A chunk that is on its way belongs to the next frame.
    await this.#asking;
    const all = Buffer.concat(this.#given);
    return all.subarray(all.length - (this.#givenBytes - this.consumed()));
  }

  async #next(): Promise<Buffer | undefined> {
    const noted = this.#source.next().then((result) => {
      if (result.done !== true) this.#note(result.value);
      return result;
    });
    this.#asking = noted;
    const { done, value } = await noted;
    return done === true ? undefined : value;
  }

  #note(chunk: Buffer): void {
    this.#given.push(chunk);
    this.#givenBytes += chunk.length;
    this.#keptBytes += chunk.length;
    for (;;) {
      const oldest = this.#given[0]?.length ?? 0;
      if (this.#keptBytes - oldest < this.#givenBytes - this.consumed()) return;
      this.#given.shift();
      this.#keptBytes -= oldest;
    }
  }
}
