import { afterAll, expect, test } from '@jest/globals';
import { startApi } from '../support/api-process.ts';
import { send, startService } from '../support/harness.ts';
import { IMPORT_JOBS, jobClient } from '../support/import-jobs.ts';
import { openRaw } from '../support/raw-http.ts';
import { untilJob } from '../support/run-import-job.ts';
import { until } from '../support/until.ts';
import { FAULTY_LINE, FAULTY_LINES } from './result-attacks.ts';

// The limits of long responses. The attacks in result-attacks.ts measure their effect on other tenants and on memory.

const READERS = 100;

const service = await startService({ worker: true });
const api = await startApi(service);
const client = await jobClient(service);
const token: string = client.token;
const jobId = await client.open({ kind: 'notes' });
await client.put(jobId, 1, FAULTY_LINE.repeat(FAULTY_LINES), 'zstd');
await client.post(jobId, 'start');
await untilJob(service.database, jobId);
const results: string = `${IMPORT_JOBS}${jobId}/results/?outcome=failed`;
afterAll(async () => {
  await api?.kill();
  await service.stop();
});

test('limits the errors of a line to 50 and counts the others', async () => {
  const { status, text } = await fetch(api.url + results, { headers: { authorization: `Token ${token}` } }).then(
    async (answer) => ({ status: answer.status, text: await answer.text() }),
  );
  const lines = text.trimEnd().split('\n');
  expect([status, lines.length]).toEqual([200, FAULTY_LINES]);
  const { errors, errors_omitted } = JSON.parse(lines[0]!);
  expect(errors).toHaveLength(50);
  expect(errors_omitted).toBeGreaterThan(500);
  expect(text.length).toBeLessThan(10 * FAULTY_LINE.length * FAULTY_LINES);
});

test('accepts a few slow readers of one key, rejects the others with 429 and Retry-After, and serves other keys', async () => {
  const bystander = await service.supplierToken(['SUPPLIER_FR']);
  const heads: string[] = [];
  const connections = await Promise.all(Array.from({ length: READERS }, () => openRaw(api.url)));
  for (const { socket, write } of connections) {
    socket.once('data', (chunk) => {
      heads.push(chunk.toString('latin1'));
      socket.pause();
    });
    write(`GET ${results} HTTP/1.1\r\nHost: x\r\nAuthorization: Token ${token}\r\n\r\n`);
  }
  await until(() => heads.length >= READERS - 4);
  const list = '/v1/data-import/all-account-import-processes/SUPPLIER_FR/';
  expect((await send(api.url, 'GET', list, { token: bystander })).status).toBe(200);
  for (const { socket } of connections) socket.destroy();
  const refused = heads.filter((head) => head.startsWith('HTTP/1.1 429'));
  expect(refused.length).toBeGreaterThan(READERS / 2);
  expect(refused.every((head) => /\r\nretry-after: \d+\r\n/i.test(head))).toBe(true);
}, 180_000);
