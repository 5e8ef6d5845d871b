import { randomBytes } from 'node:crypto';
import { setImmediate as afterReading } from 'node:timers/promises';
import { constants, zstdCompressSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { unpackZstd } from '../../src/platform/http/zstd-frames.ts';

async function* inPieces(packed: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < packed.length; at += length) yield packed.subarray(at, at + length);
}

async function unpacked(packed: Buffer, length = packed.length): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of unpackZstd(inPieces(packed, length))) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

const texts = ['', 'a', 'b'.repeat(200_000), '', Array.from({ length: 2_000 }, (_, index) => index).join(), 'end'];
const frames = Buffer.concat(texts.map((text) => zstdCompressSync(text)));
/** A skippable frame before each frame, as parallel compressors write it. */
const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4]);

test.each([1, 2, 3, 7, 100, 4_096, 65_536, 1_000_000])(
  'decompresses all frames in pieces of %i bytes',
  async (length) => {
    expect(await unpacked(frames, length)).toBe(texts.join(''));
    const parallel = Buffer.concat(texts.flatMap((text) => [skippable, zstdCompressSync(text)]));
    expect(await unpacked(parallel, length)).toBe(texts.join(''));
  },
);

test.each([
  ['its own length', 1_000_033],
  ['16 kB', 16_384],
  ['64 kB', 65_536],
])(
  'decompresses frames that end within a piece, and leaves nothing that could fail later: %s',
  async (_name, length) => {
    const faults: unknown[] = [];
    const note = (fault: unknown) => faults.push(fault);
    process.on('uncaughtException', note);
    try {
      const content = randomBytes(1_000_000);
      const packed = Buffer.concat(Array.from({ length: 8 }, () => zstdCompressSync(content)));
      const whole = Buffer.concat(Array.from({ length: 8 }, () => content));
      const pieces: Buffer[] = [];
      for await (const piece of unpackZstd(inPieces(packed, length))) {
        pieces.push(piece);
        // A slow reader: the next piece is ready before this one was read.
        await afterReading();
      }
      expect(Buffer.concat(pieces).equals(whole)).toBe(true);
      // A reader that stops in the middle of a frame.
      for await (const piece of unpackZstd(inPieces(packed, length))) if (piece.length > 0) break;
      for (let turn = 0; turn < 20; turn += 1) await afterReading();
      expect(faults).toEqual([]);
    } finally {
      process.off('uncaughtException', note);
    }
  },
);

test.each([1, 5, 20])('rejects content without its last %i bytes', async (missing) => {
  for (const length of [3, 64, 1_000_000]) {
    await expect(unpacked(frames.subarray(0, -missing), length)).rejects.toThrow('unexpected end of file');
  }
});

test('rejects bytes after a frame that are not a frame', async () => {
  await expect(unpacked(Buffer.concat([frames, Buffer.from('{"a":1}')]))).rejects.toThrow(/prefix|descriptor/i);
  await expect(unpacked(Buffer.alloc(0))).rejects.toThrow('unexpected end of file');
});

test('rejects a frame that needs more than 8 MB to decompress', async () => {
  const params = { [constants.ZSTD_c_windowLog]: 24, [constants.ZSTD_c_compressionLevel]: 1 };
  const content = Buffer.alloc(20_000_000, '0123456789abcdef');
  await expect(unpacked(zstdCompressSync(content, { params }))).rejects.toThrow('memory');
});

test('rejects endless frames', async () => {
  const empty = zstdCompressSync('');
  await expect(unpacked(Buffer.concat(Array.from({ length: 2_001 }, () => empty)))).rejects.toThrow('frames');
}, 60_000);

test('closes the source when the reader stops', async () => {
  let isClosed = false;
  async function* source(): AsyncGenerator<Buffer> {
    try {
      for (;;) yield zstdCompressSync('x'.repeat(100_000));
    } finally {
      isClosed = true;
    }
  }
  let pieces = 0;
  for await (const piece of unpackZstd(source())) {
    pieces += piece.length > 0 ? 1 : 0;
    if (pieces === 5) break;
  }
  expect(isClosed).toBe(true);
});
