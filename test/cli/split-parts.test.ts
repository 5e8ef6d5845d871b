import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openInput, type Part } from '../../src/cli/split-parts.ts';

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
