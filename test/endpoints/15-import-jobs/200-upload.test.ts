import { createHash, randomBytes } from 'node:crypto';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, expect, test } from '@jest/globals';
import { unpackPage } from '../../../src/import-jobs/import-job-page.store.ts';
import { linesOfPage } from '../../../src/import-jobs/page-lines.rules.ts';
import { startService } from '../../support/harness.ts';
import { jobClient, pageCount, someLines, storedPages } from '../../support/import-jobs.ts';

const service = await startService();
afterAll(() => service.stop());
const client = await jobClient(service);

const hexOf = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

/** The numbered records of a job as the worker sees them. */
async function recordsOf(jobId: string): Promise<[line: number, text: string][]> {
  const records: [number, string][] = [];
  for (const page of await storedPages(service, jobId)) {
    for (const { line, bytes } of linesOfPage(await unpackPage(page.body), page.first_line ?? 1)) {
      records.push([line, bytes.toString()]);
    }
  }
  return records;
}

test.each(['identity', 'gzip', 'zstd'] as const)('stores a part completely, sent as %s', async (encoding) => {
  const content = someLines(1_234);
  const jobId = await client.open();
  expect(await client.put(jobId, 1, content, encoding)).toMatchObject({
    status: 200,
    body: { part: 1, lines: 1_234, bytes: content.length, sha256: hexOf(content) },
  });
  const pages = await storedPages(service, jobId);
  expect(pages.map(({ lines }) => lines)).toEqual([250, 250, 250, 250, 234]);
  await client.post(jobId, 'start');
  const records = await recordsOf(jobId);
  expect(records.map(([, text]) => `${text}\n`).join('')).toBe(content);
  expect(records.map(([line]) => line)).toEqual(records.map((_, index) => index + 1));
});

test('accepts x-gzip as gzip', async () => {
  const jobId = await client.open({ kind: 'notes', goal: 'VALIDATE' });
  const answer = await client.putRaw(jobId, 1, gzipSync('{}\n{}\n'), { 'content-encoding': 'X-GZIP' });
  expect(answer).toMatchObject({ status: 200, body: { lines: 2 } });
});

test('joins many zstd frames, wherever the pieces of the request end', async () => {
  const parts = Array.from({ length: 40 }, (_, index) => someLines(100, index * 100 + 1));
  const jobId = await client.open();
  const packed = Buffer.concat(parts.map((part) => zstdCompressSync(part)));
  expect(await client.putRaw(jobId, 1, packed, { 'content-encoding': 'zstd' })).toMatchObject({
    status: 200,
    body: { lines: 4_000, sha256: hexOf(parts.join('')) },
  });
});

test('accepts a byte order mark, carriage returns, blank lines and a missing final line end', async () => {
  const content = '\u{feff}{"a":1}\r\n\r\n{"b":2}\r\n   \t\n\n{"c":3}';
  const jobId = await client.open();
  expect(await client.put(jobId, 1, content)).toMatchObject({
    status: 200,
    body: { lines: 3, bytes: Buffer.byteLength(content), sha256: hexOf(content) },
  });
  expect((await client.put(jobId, 2, '\n\n{"d":4}\n')).body.lines).toBe(1);
  await client.post(jobId, 'start');
  expect(await recordsOf(jobId)).toEqual([
    [1, '{"a":1}'],
    [3, '{"b":2}'],
    [6, '{"c":3}'],
    [9, '{"d":4}'],
  ]);
});

test('limits broken UTF-8 to its line', async () => {
  const content = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}\n{"b":2}\n')]);
  const jobId = await client.open();
  expect(await client.put(jobId, 1, content)).toMatchObject({
    status: 200,
    body: { lines: 2, sha256: hexOf(content) },
  });
  const [page] = await storedPages(service, jobId);
  expect(linesOfPage(await unpackPage(page!.body), 1)[0]!.bytes).toEqual(content.subarray(0, content.indexOf(10)));
});

test('stores a line of 1 MB as a separate page', async () => {
  const long = `{"a":"${'x'.repeat(1_048_576 - 8)}"}`;
  const jobId = await client.open();
  expect((await client.put(jobId, 1, `{"b":1}\n${long}\r\n{"c":1}\n`)).body).toMatchObject({ lines: 3 });
  const pages = await storedPages(service, jobId);
  expect(pages.map(({ lines }) => lines)).toEqual([1, 1, 1]);
  expect((await unpackPage(pages[1]!.body)).toString()).toBe(long);
});

test('splits pages at 250 records and 1 MB, whatever the lengths of lines and pieces', async () => {
  const lines = Array.from({ length: 900 }, (_, index) =>
    index % 7 === 0 ? '' : randomBytes((index * 37) % 9_000).toString('hex') + 'x',
  );
  const jobId = await client.open();
  expect((await client.put(jobId, 1, lines.join('\n'), 'gzip')).body.lines).toBe(lines.filter(Boolean).length);
  for (const { body, lines: count } of await storedPages(service, jobId)) {
    expect(count).toBeLessThanOrEqual(250);
    expect((await unpackPage(body)).length).toBeLessThanOrEqual(1_048_576);
  }
  await client.post(jobId, 'start');
  expect(await recordsOf(jobId)).toEqual(
    lines.flatMap((text, index): [number, string][] => (text === '' ? [] : [[index + 1, text]])),
  );
});

test('accepts parts in any order, the same part twice as one, and other content for a part before the start', async () => {
  const jobId = await client.open();
  const [first, second] = [await client.put(jobId, 2, someLines(300, 301)), await client.put(jobId, 1, someLines(300))];
  expect([first.status, second.status]).toEqual([200, 200]);
  expect((await client.put(jobId, 2, someLines(300, 301), 'gzip')).body).toEqual(first.body);
  expect(await pageCount(service, jobId)).toBe(4);
  expect((await client.put(jobId, 2, someLines(10, 301))).body).toMatchObject({ part: 2, lines: 10 });
  expect(await pageCount(service, jobId)).toBe(3);
  expect(await client.post(jobId, 'start')).toMatchObject({ status: 200, body: { status: 'VALIDATING' } });
  expect((await recordsOf(jobId)).map(([, text]) => `${text}\n`).join('')).toBe(someLines(310));
  expect((await storedPages(service, jobId)).map(({ number, first_line: line }) => [number, line])).toEqual([
    [1, 1],
    [2, 251],
    [3, 301],
  ]);
  // After the start the same content is still the same part.
  expect(await client.put(jobId, 1, someLines(300))).toEqual({ ...second, headers: expect.anything() });
  expect(await pageCount(service, jobId)).toBe(3);
});

test('accepts two concurrent uploads of a part', async () => {
  const jobId = await client.open();
  const answers = await Promise.all([client.put(jobId, 1, someLines(500)), client.put(jobId, 1, someLines(500))]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(await pageCount(service, jobId)).toBe(2);
});
