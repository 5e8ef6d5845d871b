import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';
import { jobClient, someLines } from '../../support/import-jobs.ts';

const service = await startService();
afterAll(() => service.stop());
const client = await jobClient(service);
const jobId = await client.open();

const LINES = Buffer.from(someLines(3));

test.each([
  ['JSON', { 'content-type': 'application/json' }],
  ['text', { 'content-type': 'text/plain' }],
  ['a form', { 'content-type': 'multipart/form-data; boundary=x' }],
  ['lines in another content encoding', { 'content-encoding': 'br' }],
  ['lines in two content encodings', { 'content-encoding': 'gzip, zstd' }],
])('rejects %s as part', async (_what, headers) => {
  expect(await client.putRaw(jobId, 1, LINES, headers)).toMatchObject({
    status: 415,
    body: { code: 'unsupported_media_type' },
  });
});

test.each<Record<string, string>>([
  { 'content-type': 'application/x-ndjson; charset=utf-8' },
  { 'content-type': 'application/ndjson' },
  { 'content-type': 'application/jsonl' },
  { 'content-encoding': 'identity' },
])('accepts lines with %j', async (headers) => {
  expect(await client.putRaw(jobId, 1, LINES, headers)).toMatchObject({ status: 200, body: { lines: 3 } });
});
