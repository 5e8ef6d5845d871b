import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { createGunzip, type Gunzip } from 'node:zlib';
import { splitIntoParts, type Part } from '../../clients/typescript/src/parts.ts';
import { unpackZstd } from '../platform/http/zstd-frames.ts';
import { SIGNATURE_BYTES, compressionOf } from '../foundation/compression.ts';
import { CommandError, exitStatuses } from './command-error.ts';

/** A file of records that is being read. */
export interface Input {
  parts: AsyncIterable<Part>;
  /** Share of the file that was read, from 0 to 1; undefined for standard input. */
  share(): number | undefined;
}

const READ_BYTES = 1024 * 1024;
/** A user's file may use everything that the format allows by default. */
const FILE_LIMITS = { windowLog: 27, frames: Infinity };
export const STANDARD_INPUT_NAME = '-';

/**
 * Opens a file of NDJSON, plain or compressed with gzip or zstd, which its first bytes identify.
 * @param file `-` is standard input
 * @throws CommandError when it cannot be read; reading the parts also throws one when less than the whole file was read
 */
export async function openInput(file: string): Promise<Input> {
  const { content, share, assertWhole } = await openContent(file);
  return { parts: splitIntoParts(wholeContent(content, file, assertWhole)), share };
}

/** The content of a file, without its compression. */
export interface Content {
  content: AsyncIterable<Buffer>;
  /** Share of the file that was read, from 0 to 1; undefined for standard input. */
  share(): number | undefined;
  /** @throws CommandError if less than the whole file was read */
  assertWhole(): void;
}

/**
 * Opens a file, plain or compressed with gzip or zstd, which its first bytes identify.
 * @param file `-` is standard input
 * @param onRead receives the bytes of the file as they are
 * @throws CommandError when it cannot be read
 */
export async function openContent(file: string, onRead: (bytes: Buffer) => void = () => {}): Promise<Content> {
  const isPiped = file === STANDARD_INPUT_NAME;
  const size = isPiped ? undefined : await sizeOf(file);
  const source: Readable = isPiped ? process.stdin : createReadStream(file, { highWaterMark: READ_BYTES });
  let read = 0;
  const count = (chunk: Buffer) => {
    read += chunk.length;
    onRead(chunk);
  };
  return {
    content: unpacked(counted(source, count)),
    share: () => (size === undefined ? undefined : size === 0 ? 1 : read / size),
    assertWhole: () => {
      if (size === undefined || read >= size) return;
      throw new CommandError(`${file} has ${size} bytes, but ${read} were read. Nothing was started.`);
    },
  };
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    throw new CommandError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`, exitStatuses.usage);
  }
}

async function* counted(source: AsyncIterable<Buffer>, count: (chunk: Buffer) => void): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    count(chunk);
    yield chunk;
  }
}

/** The decompressed content. */
async function* unpacked(source: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let head = Buffer.alloc(0);
  while (head.length < SIGNATURE_BYTES) {
    const { value, done } = await source.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  const whole = withHead(head, source);
  const packing = compressionOf(head);
  if (packing === 'gzip') yield* unpackGzip(whole);
  else if (packing === 'zstd') yield* unpackZstd(whole, FILE_LIMITS);
  else yield* whole;
}

async function* unpackGzip(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  const feeding = feed(gunzip, source);
  yield* gunzip as AsyncIterable<Buffer>;
  const error = await feeding;
  if (error) throw error;
}

/**
 * Writes the source into a stream. The stream ends silently at zeros after a member and ignores the rest: zeros up to the end are padding,
 * other data is an error.
 * @returns the error that prevented the source from being decompressed to its end; never rejects
 */
async function feed(gunzip: Gunzip, source: AsyncIterable<Buffer>): Promise<Error | undefined> {
  let read = 0;
  let hasEnded = false;
  try {
    for await (const chunk of source) {
      if (!hasEnded) await new Promise((resolve) => gunzip.write(chunk, resolve));
      hasEnded = gunzip.bytesWritten < read + chunk.length;
      const ignored = hasEnded ? chunk.subarray(Math.max(0, gunzip.bytesWritten - read)) : Buffer.alloc(0);
      if (ignored.some((byte) => byte !== 0)) {
        throw new Error(`data follows the compressed content after ${gunzip.bytesWritten} bytes`);
      }
      read += chunk.length;
    }
    gunzip.end();
    return undefined;
  } catch (error) {
    gunzip.destroy(error as Error);
    return error as Error;
  }
}

async function* withHead(head: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (head.length > 0) yield head;
  yield* rest;
}

/** The content up to its verified end; damaged content is an error of the file. */
async function* wholeContent(
  content: AsyncIterable<Buffer>,
  file: string,
  assertWhole: () => void,
): AsyncGenerator<Buffer> {
  try {
    yield* content;
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw unreadable(file, error);
  }
  assertWhole();
}

/** The error for a file whose content is damaged. */
export function unreadable(file: string, error: unknown): CommandError {
  return new CommandError(`${file} cannot be read to its end: ${(error as Error).message}.`, exitStatuses.usage);
}
