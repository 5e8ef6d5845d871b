import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as zlib from 'node:zlib';
import { PACKING_BYTES, packingOf } from '../vocabulary/packings.ts';
import { CommandError, exitStatuses } from './command-error.ts';

/** Records of a file that are uploaded together; cut at an end of line, always at the same ones. */
export interface Part {
  /** From 1. */
  number: number;
  /** Of the content before it was compressed, as the service tells it. */
  sha256: string;
  bytes: number;
  compressed: Buffer;
  /** What it is compressed with, as the header Content-Encoding names it. */
  encoding: typeof ENCODING;
}

/** A file of records that is being read. */
export interface Input {
  parts: AsyncIterable<Part>;
  /** How much of the file was read, from 0 to 1; undefined for standard input. */
  share(): number | undefined;
}

/** A part ends with the first line that passes this; what the service takes is four times as much. */
const PART_BYTES = 16 * 1024 * 1024;
const PART_BYTES_MAX = 64 * 1024 * 1024;
const READ_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;
/** zstd is built in from Node 22.15 on; a supplier may have an older one. */
const HAS_ZSTD = 'createZstdCompress' in zlib;
const ENCODING = HAS_ZSTD ? 'zstd' : 'gzip';
export const STANDARD_INPUT_NAME = '-';

/**
 * Opens a file of NDJSON, plain or packed with gzip or zstd; which of them, its first bytes tell.
 * @param file `-` is standard input
 * @throws CommandError when it cannot be read
 */
export async function openInput(file: string): Promise<Input> {
  const isPiped = file === STANDARD_INPUT_NAME;
  const size = isPiped ? undefined : await sizeOf(file);
  const source: Readable = isPiped ? process.stdin : createReadStream(file, { highWaterMark: READ_BYTES });
  let read = 0;
  return {
    parts: split(unpacked(counted(source, (bytes) => (read += bytes))), file),
    share: () => (size === undefined ? undefined : size === 0 ? 1 : read / size),
  };
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    throw new CommandError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`, exitStatuses.usage);
  }
}

async function* counted(source: AsyncIterable<Buffer>, count: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    count(chunk.length);
    yield chunk;
  }
}

/** The content, whatever it is packed with. */
async function* unpacked(source: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let head = Buffer.alloc(0);
  while (head.length < PACKING_BYTES) {
    const { value, done } = await source.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  const whole = withHead(head, source);
  const packing = packingOf(head);
  if (packing === 'gzip') yield* through(whole, zlib.createGunzip());
  else if (packing === 'zstd') yield* through(whole, unpackingZstd());
  else yield* whole;
}

function unpackingZstd(): Transform {
  if (HAS_ZSTD) return zlib.createZstdDecompress();
  throw new CommandError(
    `A file packed with zstd needs Node 22.15 or later; this is ${process.version}. Pack it with gzip instead.`,
    exitStatuses.usage,
  );
}

async function* through(source: AsyncIterable<Buffer>, unpacking: Transform): AsyncGenerator<Buffer> {
  // A fault on either side ends the reading below, which tells of it.
  pipeline(source, unpacking).catch(() => {});
  yield* unpacking as AsyncIterable<Buffer>;
}

async function* withHead(head: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (head.length > 0) yield head;
  yield* rest;
}

async function* split(content: AsyncIterable<Buffer>, file: string): AsyncGenerator<Part> {
  let part = new PartInMaking(1);
  try {
    for await (let chunk of content) {
      for (;;) {
        const end = part.endIn(chunk);
        if (end < 0) break;
        await part.add(chunk.subarray(0, end));
        yield await part.finish();
        part = new PartInMaking(part.number + 1);
        chunk = chunk.subarray(end);
      }
      await part.add(chunk);
    }
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${file} cannot be read to its end: ${(error as Error).message}.`, exitStatuses.usage);
  }
  // Blank lines at the end are no part of their own.
  if (!part.isBlank) yield await part.finish();
}

/** Gathers the bytes of one part, compressed as they come. */
class PartInMaking {
  readonly number: number;
  isBlank = true;
  #bytes = 0;
  readonly #hash: Hash = createHash('sha256');
  readonly #packing: Transform = HAS_ZSTD ? zlib.createZstdCompress() : zlib.createGzip();
  readonly #chunks: Buffer[] = [];
  readonly #ended: Promise<unknown>;

  constructor(number: number) {
    this.number = number;
    this.#packing.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
    this.#ended = once(this.#packing, 'end');
  }

  /** Where in a chunk the part ends, behind an end of line; negative when it goes on. */
  endIn(chunk: Buffer): number {
    const from = Math.max(0, PART_BYTES - this.#bytes - 1);
    if (from >= chunk.length) return -1;
    const at = chunk.indexOf(NEWLINE, from);
    if (at < 0 && this.#bytes + chunk.length > PART_BYTES_MAX) {
      throw new CommandError(
        'The file holds a line of many megabytes; is it NDJSON, one record a line?',
        exitStatuses.usage,
      );
    }
    return at < 0 ? -1 : at + 1;
  }

  async add(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    this.#bytes += bytes.length;
    if (this.isBlank) this.isBlank = bytes.every((byte) => byte <= 0x20);
    this.#hash.update(bytes);
    if (!this.#packing.write(bytes)) await once(this.#packing, 'drain');
  }

  async finish(): Promise<Part> {
    this.#packing.end();
    await this.#ended;
    return {
      number: this.number,
      sha256: this.#hash.digest('hex'),
      bytes: this.#bytes,
      compressed: Buffer.concat(this.#chunks),
      encoding: ENCODING,
    };
  }
}
