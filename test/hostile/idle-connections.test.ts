import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { startApi } from '../support/api-process.ts';
import { startFlood, type Flood } from '../support/connection-flood.ts';
import { send, startService } from '../support/harness.ts';
import { until } from '../support/until.ts';
import { reservePort } from '../support/test-port.ts';

// Attackers open more connections than the process has file descriptors, while a known client works.

const OPEN_FILES_MAX = 1_024;
/** The API's limits in this case: 256 descriptors are kept free, and one address gets a quarter. */
const [OVER_ALL, OF_ADDRESS] = [768, 192];
const FLOOD = 2_000;
const CALLS = 20;
/** Allowed growth of the connections of the process: a pool grows when it is used. */
const MORE_DESCRIPTORS = 20;
const MORE_BYTES = 100 * 1_048_576;
const PATH = '/v1/data-import/all-account-import-processes/SUPPLIER_FR/';
const EVICTED = 'http_server_connections_evicted_total';
const REFUSED_OF_ADDRESS = 'http_server_connections_refused_total{limit="address"}';
const REFUSED_OVER_ALL = 'http_server_connections_refused_total{limit="over_all"}';
const HALF_A_HEAD = 'GET /healthz/live HTTP/1.1\r\nHost: g';
const TIME_LIMIT_MS = 120_000;

const floods: Flood[] = [];
const service = await startService();
const token = await service.supplierToken(['SUPPLIER_FR']);
// One process for all tests: the connections of a flood are closed before the next one.
const metricsPort = await reservePort();
const api = await startApi(service, { METRICS_PORT: String(metricsPort) }, { openFilesMax: OPEN_FILES_MAX });
afterEach(endFloods);
afterAll(async () => {
  await api?.kill();
  await service.stop();
});

async function flood(target: string, options: Parameters<typeof startFlood>[1]): Promise<Flood> {
  const started = await startFlood(target, options);
  floods.push(started);
  return started;
}

async function endFloods(): Promise<void> {
  for (const started of floods.splice(0)) await started.stop();
}

const descriptors = () => readdirSync(`/proc/${api.pid}/fd`).length;
const residentBytes = () =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${api.pid}/status`, 'utf8'))![1]) * 1_024;
const refusalLines = () => api.log.filter((line) => line.includes('limit reached')).length;

/** Each call uses a new connection. */
async function callOften(): Promise<unknown[]> {
  const answers: unknown[] = [];
  while (answers.length < CALLS) {
    answers.push(
      await send(api.url, 'GET', PATH, { token, headers: { connection: 'close' } }).then(
        ({ status }) => status,
        String,
      ),
    );
  }
  return answers;
}

async function metric(name: string): Promise<number> {
  const text = (await send(`http://127.0.0.1:${metricsPort}`, 'GET', '/metrics')).body as string;
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1] ?? 0,
  );
}

/** The process has closed the connections of the flood. */
async function expectRecovery(before: { descriptors: number; bytes: number }): Promise<void> {
  await endFloods();
  await until(() => descriptors() <= before.descriptors + MORE_DESCRIPTORS);
  expect(residentBytes()).toBeLessThan(before.bytes + MORE_BYTES);
  expect(api.hasEnded()).toBe(false);
  expect(await callOften()).toEqual(Array(CALLS).fill(200));
}

test.each<[string, string | undefined]>([
  ['silent', undefined],
  ['with half a head', HALF_A_HEAD],
  ['kept alive after a request', `${HALF_A_HEAD}\r\n\r\n`],
])(
  'serves a known client fully while one address opens as many connections as it can (%s)',
  async (_what, sends) => {
    await callOften();
    const before = { descriptors: descriptors(), bytes: residentBytes() };
    const refusedBefore = await metric(REFUSED_OF_ADDRESS);
    const attack = await flood(api.url, { count: FLOOD, from: ['127.0.0.2'], sends });
    expect(await callOften()).toEqual(Array(CALLS).fill(200));
    await until(async () => (await attack.state()).open <= OF_ADDRESS);
    expect((await metric(REFUSED_OF_ADDRESS)) - refusedBefore).toBe(FLOOD - OF_ADDRESS);
    // At most one in ten seconds.
    expect(refusalLines()).toBeGreaterThan(0);
    expect(refusalLines()).toBeLessThan(TIME_LIMIT_MS / 10_000);
    await expectRecovery(before);
  },
  TIME_LIMIT_MS,
);

test(
  'serves a known client fully while many addresses together fill the API',
  async () => {
    await callOften();
    const before = { descriptors: descriptors(), bytes: residentBytes() };
    const [evictedBefore, refusedBefore] = [await metric(EVICTED), await metric(REFUSED_OVER_ALL)];
    const attack = await flood(api.url, {
      count: FLOOD,
      from: Array.from({ length: 50 }, (_, at) => `127.0.1.${at + 1}`),
      sends: HALF_A_HEAD,
    });
    expect(await callOften()).toEqual(Array(CALLS).fill(200));
    await until(async () => (await attack.state()).open <= OVER_ALL);
    expect(descriptors()).toBeLessThan(OPEN_FILES_MAX);
    expect(await metric(EVICTED)).toBeGreaterThan(evictedBefore);
    expect(await metric(REFUSED_OVER_ALL)).toBeGreaterThan(refusedBefore);
    await expectRecovery(before);
  },
  TIME_LIMIT_MS,
);

test(
  'limits the descriptors of the metrics port, and keeps it readable',
  async () => {
    await metric('http_server_connections_open');
    const before = { descriptors: descriptors(), bytes: residentBytes() };
    await flood(`http://127.0.0.1:${metricsPort}`, { count: FLOOD, from: ['127.0.0.2'], sends: HALF_A_HEAD });
    expect(descriptors()).toBeLessThan(before.descriptors + MORE_DESCRIPTORS + 64);
    expect(await metric('http_server_connections_max')).toBe(OVER_ALL);
    await expectRecovery(before);
  },
  TIME_LIMIT_MS,
);
