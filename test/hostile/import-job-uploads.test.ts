import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from '@jest/globals';
import { deleteAbandonedPages } from '../../src/import-jobs/import-job-page.store.ts';
import { startApi } from '../support/api-process.ts';
import { send, startService } from '../support/harness.ts';
import { IMPORT_JOBS, jobClient, pageCount, someLines } from '../support/import-jobs.ts';
import { openRaw } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

// Uploads of a whole migration to a separate process: its memory stays flat, other clients are served, and aborted
// uploads leave nothing.

const LINES_A_PART = 16_000;
/** Each of 64 MB; `UPLOAD_PARTS=8` is half a gigabyte. */
const PARTS = Number(process.env['UPLOAD_PARTS'] ?? 4);
const MEGABYTE = 1_048_576;

const service = await startService();
const api = await startApi(service);
const client = await jobClient(service);
afterAll(async () => {
  await api?.kill();
  await service.stop();
});

const residentBytes = () =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${api.pid}/status`, 'utf8'))![1]) * 1_024;
const put = (token: string, jobId: string, part: number, body: Buffer, headers: Record<string, string> = {}) =>
  send(api.url, 'PUT', `${IMPORT_JOBS}${jobId}/parts/${part}/`, {
    token,
    body,
    headers: { 'content-type': 'application/x-ndjson', ...headers },
  });

/** Lines of about 4 kB that hardly compress. */
function largePart(part: number): Buffer {
  const filler = Buffer.allocUnsafe(3_000).fill(part).toString('base64');
  return Buffer.from(
    Array.from(
      { length: LINES_A_PART },
      (_, index) => `{"external_account_number":"${part}-${index}","x":"${filler}"}\n`,
    ).join(''),
  );
}

test('keeps memory flat and answers others during uploads of 64 MB', async () => {
  const jobId = await client.open();
  await put(client.token, jobId, 1, Buffer.from(someLines(1_000)));
  // Created before the measurement, as creating it would delay this process, which measures.
  const [one, other] = [largePart(1), gzipSync(largePart(2), { level: 1 })];
  const before = residentBytes();
  let highest = before;
  let isUploading = true;
  const bystander = (async () => {
    const tookMs: number[] = [];
    while (isUploading) {
      const from = performance.now();
      const { status } = await send(api.url, 'GET', `${IMPORT_JOBS}${jobId}/`, { token: client.token });
      expect(status).toBe(200);
      tookMs.push(performance.now() - from);
      highest = Math.max(highest, residentBytes());
      await sleep(20);
    }
    return tookMs.sort((one, other) => one - other);
  })();
  const from = performance.now();
  for (let part = 1; part <= PARTS; part += 2) {
    const answers = await Promise.all([
      put(client.token, jobId, part, one),
      put(client.token, jobId, part + 1, other, { 'content-encoding': 'gzip' }),
    ]);
    expect(answers.map(({ status, body }) => [status, body.lines])).toEqual([
      [200, LINES_A_PART],
      [200, LINES_A_PART],
    ]);
  }
  const seconds = (performance.now() - from) / 1_000;
  isUploading = false;
  const tookMs = await bystander;
  if (process.env['FIGURES']) {
    process.stderr.write(
      `uploads: ${Math.round((PARTS * LINES_A_PART) / seconds)} lines a second, memory from ${Math.round(before / MEGABYTE)} to ${Math.round(highest / MEGABYTE)} MB, ` +
        `bystander p50 ${Math.round(tookMs[Math.floor(tookMs.length / 2)]!)} ms, p99 ${Math.round(tookMs[Math.floor(tookMs.length * 0.99)]!)} ms of ${tookMs.length}\n`,
    );
  }
  expect(highest - before).toBeLessThan(200 * MEGABYTE);
  // Each call that waited for a part would show up once for each part.
  expect(tookMs.length).toBeGreaterThan(5 * PARTS);
}, 180_000);

test('removes the pages of an upload whose process was killed, and accepts the part again', async () => {
  const jobId = await client.open();
  const raw = await openRaw(api.url);
  const half = someLines(1_000);
  raw.write(
    `PUT ${IMPORT_JOBS}${jobId}/parts/1/ HTTP/1.1\r\nHost: x\r\nAuthorization: Token ${client.token}\r\n` +
      `Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n${half.length.toString(16)}\r\n${half}\r\n`,
  );
  await until(async () => (await pageCount(service, jobId)) === 4);
  await api.kill();
  expect((await service.call('GET', `${IMPORT_JOBS}${jobId}/`, { token: client.token })).body.parts).toEqual([]);
  expect(await client.put(jobId, 1, half)).toMatchObject({ status: 200, body: { lines: 1_000 } });
  expect(await pageCount(service, jobId)).toBe(8);
  // Recent files may belong to an upload in progress; referenced files stay at any age.
  await deleteAbandonedPages(service.database);
  expect(await pageCount(service, jobId)).toBe(8);
  await service.database.pool.query(`update import_job_page set uploaded_at = now() - interval '2 hours'`);
  await deleteAbandonedPages(service.database);
  expect(await pageCount(service, jobId)).toBe(4);
  await client.post(jobId, 'start');
  const { rows } = await service.database.pool.query('select accepted from import_job where id = $1', [jobId]);
  expect(rows).toEqual([{ accepted: 1_000 }]);
});
