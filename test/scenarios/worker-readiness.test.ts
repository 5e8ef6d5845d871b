import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { RunningProcess } from '../../src/local-stack/running-process.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { until } from '../support/until.ts';
import { reservePort } from '../support/test-port.ts';
import { startStack, type Stack } from './stack.ts';

let stack: Stack;
const more: RunningProcess[] = [];
beforeAll(async () => {
  stack = await startStack();
});
afterEach(async () => {
  await Promise.all(more.splice(0).map((one) => one.stop()));
});
afterAll(async () => {
  await stack?.stop();
});

interface Told {
  status: number;
  body: Record<string, string>;
}

async function ask(port: number, path = '/healthz/ready'): Promise<Told> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
  return answer === undefined
    ? { status: 0, body: {} }
    : { status: answer.status, body: (await answer.json()) as Record<string, string> };
}

async function startMore(part: 'worker' | 'api', settings: Record<string, string>): Promise<void> {
  more.push(await stack.startMore(part, settings));
}

/** The database of the stack with another password or another database. */
function refusedUrl(change: (url: URL) => void): string {
  const url = new URL((stack.process('postgres') as unknown as { url: string }).url);
  change(url);
  return url.href;
}

test('a worker tells its own readiness, and what is away', async () => {
  const port = await reservePort();
  await startMore('worker', { WORKER_HEALTH_PORT: String(port) });
  await until(async () => (await ask(port)).status === 200, 200);
  expect((await ask(port)).body).toEqual({
    status: 'ok',
    database: 'ok',
    temporal: 'ok',
    workers: 'ok',
    process: 'ok',
  });
  await stack.kill('temporal');
  await until(async () => (await ask(port)).status === 503, 200);
  expect((await ask(port)).body).toMatchObject({ database: 'ok', temporal: 'away' });
  expect(await ask(port, '/healthz/live')).toEqual({ status: 200, body: { status: 'ok' } });
  expect((await ask(port, '/metrics')).status).toBe(404);
  await stack.start('temporal');
  await until(async () => (await ask(port)).status === 200, 200);
});

test.each<[string, (url: URL) => void, string]>([
  [
    'password',
    (url) => {
      url.password = 'wrong';
    },
    '28P01',
  ],
  [
    'database',
    (url) => {
      url.pathname = '/nowhere';
    },
    '3D000',
  ],
])('a wrong %s is an alarm: readiness, a line of level error, and a metric', async (_what, change, sqlstate) => {
  const [health, metrics, http] = [await reservePort(), await reservePort(), await reservePort()];
  await startMore('worker', {
    DATABASE_URL: refusedUrl(change),
    WORKER_HEALTH_PORT: String(health),
    METRICS_PORT: String(metrics),
  });
  await startMore('api', { DATABASE_URL: refusedUrl(change), HTTP_PORT: String(http) });
  await until(async () => (await ask(health)).body['database'] === 'misconfigured', 200);
  expect(await ask(health)).toMatchObject({ status: 503, body: { database: 'misconfigured' } });
  await until(async () => (await ask(http)).body['database'] === 'misconfigured', 200);
  expect((await ask(http)).status).toBe(503);
  const lines = () =>
    readFileSync(`${stack.folder}/worker.log`, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { level: number; msg: string; sqlstate?: string });
  await until(
    () =>
      lines().some(
        ({ level, msg, sqlstate: told }) => level === 50 && told === sqlstate && msg.includes('DATABASE_URL'),
      ),
    200,
  );
  expect(await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text()).toMatch(
    /^db_client_misconfigured\{db_client_connection_pool_name="worker"\} 1$/m,
  );
});

test('migrate says of a wrong password that volume and password belong together', async () => {
  const wrong = refusedUrl((url) => {
    url.password = 'wrong';
  });
  const told = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
    execFile(
      process.execPath,
      [join(import.meta.dirname, '../../src/processes/migrate.ts')],
      { env: { ...childEnvironment(), DATABASE_URL: refusedUrl(() => undefined), MIGRATE_DATABASE_URL: wrong } },
      (error, _stdout, stderr) => resolve({ code: error?.code, stderr }),
    );
  });
  expect(told).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^Postgres refuses user and password of MIGRATE_DATABASE_URL \(28P01\)/),
  });
});
