import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';
import { IMPORT_JOBS, jobClient, pageCount } from '../../support/import-jobs.ts';

const PART_BYTES_MAX = 67_108_864;

const service = await startService();
afterAll(() => service.stop());
const client = await jobClient(service);

const PIECE_BYTES = 4 * 1_048_576;
const PIECES = 256;
const manyOf = (packed: Buffer) => Buffer.concat(Array.from({ length: PIECES }, () => packed));
const TOO_LARGE = { status: 413, body: { code: 'request_too_large' } };

test('limits the body that opens a job', async () => {
  const body = { import_supplier: 'SUPPLIER_FR', kind: 'notes', goal: 'IMPORT', more: 'x'.repeat(1_100_000) };
  expect(await service.call('POST', IMPORT_JOBS, { token: client.token, body })).toMatchObject(TOO_LARGE);
});

test.each(['\n', '{"a":1}', 'x'])(
  'stops reading a bomb of 1 GB of %j at the size of a part, and stores nothing',
  async (text) => {
    const jobId = await client.open();
    const piece = Buffer.alloc(PIECE_BYTES, text);
    const before = process.memoryUsage().rss;
    // Consecutive gzip members, and zstd frames, are one content.
    for (const [encoding, packed] of [
      ['gzip', manyOf(gzipSync(piece))],
      ['zstd', manyOf(zstdCompressSync(piece))],
    ] as const) {
      expect(await client.putRaw(jobId, 1, packed, { 'content-encoding': encoding })).toMatchObject(TOO_LARGE);
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1_048_576);
    expect(await pageCount(service, jobId)).toBe(0);
  },
);

test('rejects a body with a larger declared length unread, and cuts one without', async () => {
  const jobId = await client.open();
  // One byte too many, in lines that are few and short enough.
  const content = Buffer.alloc(PART_BYTES_MAX + 1, `{${'x'.repeat(998)}\n`);
  const refused = { ...TOO_LARGE.body, detail: expect.stringContaining(String(PART_BYTES_MAX)) };
  expect(await client.putRaw(jobId, 1, content, {})).toMatchObject({ status: 413, body: refused });
  expect(await client.put(jobId, 1, content, 'zstd')).toMatchObject({ status: 413, body: refused });
  expect(await pageCount(service, jobId)).toBe(0);
});

test('limits a job to a million lines in all its parts together', async () => {
  const jobId = await client.open();
  const half = '{}\n'.repeat(500_000);
  expect((await client.put(jobId, 1, half, 'zstd')).body).toMatchObject({ lines: 500_000 });
  expect(await client.put(jobId, 2, `${half}{}\n`, 'zstd')).toMatchObject({
    status: 413,
    body: { detail: expect.stringContaining('1000000 lines') },
  });
  expect(await client.put(jobId, 2, '\n'.repeat(1_000_001) + 'x', 'gzip')).toMatchObject(TOO_LARGE);
  expect(await pageCount(service, jobId)).toBe(2_000);
  expect((await client.put(jobId, 2, half, 'zstd')).status).toBe(200);
  await client.post(jobId, 'start');
  const { rows } = await service.database.pool.query('select accepted from import_job where id = $1', [jobId]);
  expect(rows).toEqual([{ accepted: 1_000_000 }]);
});
