import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApi, type ApiProcess } from '../support/api-process.ts';
import { send, startService, type Service } from '../support/harness.ts';
import { IMPORT_JOBS, jobClient } from '../support/import-jobs.ts';
import { openRaw } from '../support/raw-http.ts';
import { untilJob } from '../support/run-import-job.ts';
import { until } from '../support/until.ts';

// Results of a job with many errors, requested and not read: other tenants are served, memory stays flat.

const MEGABYTE = 1_048_576;
const READERS = Number(process.env['SLOW_READERS'] ?? 100);
/** 300 lines of 1,100 notes with two errors each: 1 MB, about 125 bytes in zstd. */
const LINES = 300;
const line = `{"external_account_number":"N1","notes":[${Array.from({ length: 1_100 }, () => '{}').join(',')}]}\n`;

let service: Service;
let api: ApiProcess;
let token: string;
let bystander: string;
let results: string;
beforeAll(async () => {
  service = await startService({ worker: true });
  api = await startApi(service);
  const client = await jobClient(service);
  token = client.token;
  bystander = await service.supplierToken(['SUPPLIER_FR']);
  const jobId = await client.open({ kind: 'notes' });
  await client.put(jobId, 1, line.repeat(LINES), 'zstd');
  await client.post(jobId, 'start');
  await untilJob(service.database, jobId);
  results = `${IMPORT_JOBS}${jobId}/results/?outcome=failed`;
});
afterAll(async () => {
  await api?.kill();
  await service?.stop();
});

const residentBytes = () =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${api.pid}/status`, 'utf8'))![1]) * 1_024;

/** Lists import jobs as another key while `attack` is in progress. */
async function besideBystander(attack: () => Promise<void>) {
  let isOver = false;
  let highest = residentBytes();
  const before = highest;
  const tookMs: number[] = [];
  const calls = (async () => {
    while (!isOver || tookMs.length < 20) {
      const from = performance.now();
      expect((await send(api.url, 'GET', IMPORT_JOBS, { token: bystander })).status).toBe(200);
      tookMs.push(performance.now() - from);
      highest = Math.max(highest, residentBytes());
      await sleep(10);
    }
  })();
  await attack();
  isOver = true;
  await calls;
  tookMs.sort((one, other) => one - other);
  return { grownBytes: highest - before, p99: tookMs[Math.floor(tookMs.length * 0.99)]!, count: tookMs.length };
}

function report(attack: string, { grownBytes, p99, count }: Awaited<ReturnType<typeof besideBystander>>): void {
  if (!process.env['FIGURES']) return;
  process.stderr.write(
    `${attack}: bystander p99 ${Math.round(p99)} ms of ${count}, memory +${Math.round(grownBytes / MEGABYTE)} MB\n`,
  );
}

test('limits the errors of a line to 50 and counts the others', async () => {
  const { status, text } = await fetch(api.url + results, { headers: { authorization: `Token ${token}` } }).then(
    async (answer) => ({ status: answer.status, text: await answer.text() }),
  );
  const lines = text.trimEnd().split('\n');
  expect([status, lines.length]).toEqual([200, LINES]);
  const { errors, errors_omitted } = JSON.parse(lines[0]!);
  expect(errors).toHaveLength(50);
  expect(errors_omitted).toBeGreaterThan(500);
  expect(text.length).toBeLessThan(10 * line.length * LINES);
});

test('reading results in parallel, or disconnecting after the head, does not delay others', async () => {
  await besideBystander(() => sleep(1_000));
  const quiet = await besideBystander(() => sleep(2_000));
  report('quiet', quiet);
  const read = async (signal?: AbortSignal) => {
    const answer = await fetch(api.url + results, {
      headers: { authorization: `Token ${token}` },
      signal: signal ?? null,
    });
    await answer.arrayBuffer();
    return answer.status;
  };
  const seen = new Set<number>();
  const reading = await besideBystander(async () => {
    for (let round = 0; round < 20; round += 1) {
      for (const status of await Promise.all([read(), read()])) seen.add(status);
    }
  });
  report('2 readers', reading);
  expect([...seen]).toEqual([200]);
  const leaving = await besideBystander(async () => {
    for (let round = 0; round < 60; round += 1) {
      await read(AbortSignal.timeout(20)).catch(() => undefined);
    }
  });
  report('readers that disconnect', leaving);
  // Latencies depend on the load of the machine: FIGURES=1 prints them, and every call of the bystander was answered 200.
  for (const { grownBytes } of [reading, leaving]) expect(grownBytes).toBeLessThan(200 * MEGABYTE);
}, 180_000);

test('slow readers of one key get a few responses, the others 429 with Retry-After, and other keys are served', async () => {
  const heads: string[] = [];
  const slow = await besideBystander(async () => {
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
  });
  report(`${READERS} slow readers`, slow);
  const refused = heads.filter((head) => head.startsWith('HTTP/1.1 429'));
  expect(refused.length).toBeGreaterThan(READERS / 2);
  expect(refused.every((head) => /\r\nretry-after: \d+\r\n/i.test(head))).toBe(true);
  expect(slow.grownBytes).toBeLessThan(100 * MEGABYTE);
}, 180_000);
