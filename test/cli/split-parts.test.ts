import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Part } from '../../clients/typescript/src/parts.ts';
import { openInput } from '../../src/cli/split-parts.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gangway-parts-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function partsOf(content: Buffer): Promise<Part[]> {
  const file = join(folder, 'records');
  writeFileSync(file, content);
  const parts: Part[] = [];
  for await (const part of (await openInput(file)).parts) parts.push(part);
  return parts;
}

/** Records of uneven length, for two parts. */
const large = () =>
  Buffer.from(
    Array.from({ length: 10_000 }, (_, line) =>
      JSON.stringify({ line, filler: 'é'.repeat(500 + (line % 1_000)) }),
    ).join('\n'),
  );

test('a large file is cut at ends of lines, at the same ones however it is packed, and nothing of it is lost', async () => {
  const content = large();
  const plain = await partsOf(content);
  expect(plain.length).toBeGreaterThan(1);
  const contents = plain.map(({ compressed }) => zstdDecompressSync(compressed));
  expect(Buffer.concat(contents).equals(content)).toBe(true);
  for (const [index, part] of contents.entries()) {
    expect(plain[index]).toMatchObject({
      number: index + 1,
      bytes: part.length,
      sha256: createHash('sha256').update(part).digest('hex'),
    });
    expect(part.length).toBeLessThan(64 * 1024 * 1024);
    if (index < contents.length - 1) expect(part.at(-1)).toBe(0x0a);
  }
  const told = (parts: Part[]) => parts.map(({ sha256 }) => sha256);
  expect(told(await partsOf(gzipSync(content, { level: 1 })))).toEqual(told(plain));
  expect(told(await partsOf(zstdCompressSync(content)))).toEqual(told(plain));
});

/** A frame that decompressors skip, as pzstd writes one before each frame of content. */
function skippable(bytes: number): Buffer {
  const frame = Buffer.alloc(8 + bytes, 7);
  frame.writeUInt32LE(0x184d2a50, 0);
  frame.writeUInt32LE(bytes, 4);
  return frame;
}

test('reads every frame of zstd and every member of gzip', async () => {
  const [first, second] = [Buffer.from('{"a":1}\n'.repeat(300)), Buffer.from('{"b":2}\n'.repeat(700))];
  const [plain] = await partsOf(Buffer.concat([first, second]));
  expect(plain).toMatchObject({ records: 1_000, bytes: 8_000 });
  const frames = [zstdCompressSync(first), zstdCompressSync(second)] as const;
  const files = [
    [...frames],
    [skippable(4), frames[0], skippable(4), frames[1], skippable(100_000)],
    [gzipSync(first), gzipSync(second)],
    [gzipSync(first), gzipSync(second), Buffer.alloc(512)],
  ];
  for (const file of files) {
    expect((await partsOf(Buffer.concat(file))).map(({ sha256 }) => sha256)).toEqual([plain!.sha256]);
  }
});

test('rejects a compressed file that cannot be read to its end', async () => {
  const content = Buffer.from('{"a":1}\n'.repeat(300));
  const [zstd, gzip] = [zstdCompressSync(content), gzipSync(content)];
  const files = [
    [zstd, zstd.subarray(0, -1)],
    [zstd, zstd.subarray(0, 2)],
    [zstd, skippable(40).subarray(0, 20)],
    [zstd, Buffer.from('{"a":1}\n')],
    [gzip, gzip.subarray(0, -1)],
    [gzip, gzip.subarray(0, 5)],
    [gzip, Buffer.from('{"a":1}\n')],
    [gzip, Buffer.alloc(512), gzip],
  ];
  for (const file of files) await expect(partsOf(Buffer.concat(file))).rejects.toThrow('cannot be read to its end');
});

test('counts records as the service does', async () => {
  const counts: [string, number[]][] = [
    ['{}\n{}', [2]],
    ['\uFEFF\n{}\r\n \t\r\n{}\n', [2]],
    ['\uFEFF{}\n', [1]],
    ['{}\n\uFEFF\n', [2]],
    ['{}\n\0\0', [2]],
  ];
  for (const [content, expected] of counts) {
    expect((await partsOf(Buffer.from(content))).map(({ records }) => records)).toEqual(expected);
  }
});

test('a small file is one part; blank lines alone, and nothing, are none', async () => {
  expect(await partsOf(Buffer.from('{}\r\n{}'))).toMatchObject([{ number: 1, bytes: 6 }]);
  expect(await partsOf(Buffer.from(''))).toEqual([]);
  expect(await partsOf(Buffer.from('\n \r\n\n'))).toEqual([]);
});

test('what is no NDJSON, is cut off or not there is told in a sentence', async () => {
  const oneLine = gzipSync(Buffer.alloc(70 * 1024 * 1024, 'x'), { level: 1 });
  await expect(partsOf(oneLine)).rejects.toThrow('a line of many megabytes');
  await expect(partsOf(gzipSync(large(), { level: 1 }).subarray(0, 100_000))).rejects.toThrow(
    'cannot be read to its end',
  );
  await expect(openInput(join(folder, 'nowhere'))).rejects.toThrow('cannot be read (ENOENT)');
});
