import { execFile } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { startChild, type RunningProcess } from '../../src/local-stack/running-process.ts';
import { openMetrics } from '../../src/platform/metrics/metrics.ts';
import { readSettings } from '../../src/platform/settings.ts';
import { openTemporalGateway } from '../../src/platform/temporal/temporal-gateway.ts';
import { startApi } from '../../src/processes/start-api.ts';
import { startWorkers } from '../../src/processes/start-workers.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { startCutProxy } from '../support/cut-proxy.ts';
import { programFile } from '../support/program-file.ts';
import { createNamespace } from '../support/temporal-namespace.ts';
import { useTemporalRuntime } from '../support/temporal-runtime.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { until } from '../support/until.ts';
import { reservePort } from '../support/test-port.ts';

// On the servers of the test run. Processes reach Temporal through a proxy, which cuts it off for them alone.

const started: RunningProcess[] = [];
const clone = await createTestDatabase();
const namespace = await createNamespace();
const temporal = await startCutProxy(`tcp://${process.env['TEST_TEMPORAL_ADDRESS']}`);
const folder: string = mkdtempSync(join(tmpdir(), 'gangway-readiness-'));
afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.stop()));
});
afterAll(async () => {
  await temporal?.stop();
  await clone?.drop();
  rmSync(folder, { recursive: true });
});

interface ReadinessAnswer {
  status: number;
  body: Record<string, string>;
}

async function readiness(port: number, path = '/healthz/ready'): Promise<ReadinessAnswer> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
  return answer === undefined
    ? { status: 0, body: {} }
    : { status: answer.status, body: (await answer.json()) as Record<string, string> };
}

/** Starts a process with these settings; it ends with the test. Its output is in `<part>.log` of the folder. */
async function start(part: 'worker' | 'support-site', settings: Record<string, string>): Promise<void> {
  const output = openSync(join(folder, `${part}.log`), 'a');
  const environment = {
    ...childEnvironment(),
    LOG_LEVEL: 'warn',
    DATABASE_URL: clone.applicationUrl,
    TEMPORAL_ADDRESS: new URL(temporal.url).host,
    TEMPORAL_NAMESPACE: namespace,
    ...settings,
  };
  const options = { env: environment, stdio: ['ignore' as const, output, output] };
  const program = await programFile(part);
  started.push(await startChild(process.execPath, [program], options, [{ signal: 'SIGKILL', waitMs: 5_000 }]));
  closeSync(output);
}

/** The database with another password or another name. */
function refusedUrl(change: (url: URL) => void): string {
  const url = new URL(clone.url);
  change(url);
  return url.href;
}

test("reports a worker's own readiness, and which part is down", async () => {
  const port = await reservePort();
  const metrics = String(await reservePort());
  temporal.cut();
  await start('worker', { WORKER_HEALTH_PORT: String(port), TEMPORAL_METRICS_PORT: metrics });
  const logText = () => readFileSync(join(folder, 'worker.log'), 'utf8');
  await until(() => logText().includes('Temporal cannot be reached'));
  temporal.mend();
  await until(async () => (await readiness(port)).status === 200, 200);
  // The SDK ends its runtime when a first connection fails; the next one is configured like the first.
  expect(await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text()).toContain('temporal_worker_task_slots');
  expect(logText()).not.toContain('they are off');
  expect((await readiness(port)).body).toEqual({
    status: 'ok',
    database: 'ok',
    temporal: 'ok',
    workers: 'ok',
    process: 'ok',
    clock: 'ok',
  });
  temporal.cut();
  await until(async () => (await readiness(port)).status === 503, 200);
  expect((await readiness(port)).body).toMatchObject({ database: 'ok', temporal: 'away' });
  expect(await readiness(port, '/healthz/live')).toEqual({ status: 200, body: { status: 'ok' } });
  expect((await readiness(port, '/metrics')).status).toBe(404);
  temporal.mend();
  await until(async () => (await readiness(port)).status === 200, 200);
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
])(
  'raises an alarm for a wrong %s: readiness, a line of level error, and a metric',
  async (_what, change, sqlstate) => {
    const [health, metricsPort] = [await reservePort(), await reservePort()];
    const settings = {
      ...readSettings({
        HTTP_PORT: '0',
        WORKER_HEALTH_PORT: String(health),
        METRICS_PORT: String(metricsPort),
        WORKFLOW_BUNDLE: process.env['TEST_WORKFLOW_BUNDLE'],
      }),
      DATABASE_URL: refusedUrl(change),
    };
    const lines: { level: number; msg: string; sqlstate?: string }[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    useTemporalRuntime(log);
    const gateway = openTemporalGateway({ address: process.env['TEST_TEMPORAL_ADDRESS'] as string, namespace, log });
    const metrics = await openMetrics(settings, log, '0.1.0-test');
    const parts = { settings, gateway, log, metrics };
    const [worker, api] = [await startWorkers(parts), await startApi(parts)];
    try {
      await until(async () => (await readiness(health)).body['database'] === 'misconfigured');
      expect(await readiness(health)).toMatchObject({ status: 503, body: { database: 'misconfigured' } });
      const http = Number(new URL(api.url).port);
      await until(async () => (await readiness(http)).body['database'] === 'misconfigured');
      expect((await readiness(http)).status).toBe(503);
      await until(() =>
        lines.some(
          ({ level, msg, sqlstate: logged }) => level === 50 && logged === sqlstate && msg.includes('DATABASE_URL'),
        ),
      );
      const metricsText = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      for (const pool of ['worker', 'http']) {
        expect(metricsText).toContain(`db_client_misconfigured{db_client_connection_pool_name="${pool}"} 1`);
      }
    } finally {
      await api.stop();
      await worker.stop();
      await gateway.close();
      await metrics.stop();
    }
  },
);

test('starts the support site as in the image, with the files of its pages', async () => {
  const port = await reservePort();
  await start('support-site', { SUPPORT_SITE_PORT: String(port), SUPPORT_SITE_KEY_SIGN_IN: 'true' });
  await until(async () => (await readiness(port)).status === 200, 200);
  const page = await (await fetch(`http://127.0.0.1:${port}/`)).text();
  expect(page).toContain('<style>');
  const [, script] = /<script src="([^"]+)"/.exec(page)!;
  expect((await fetch(`http://127.0.0.1:${port}${script}`)).status).toBe(200);
});

test('explains in migrate on a wrong password that volume and password belong together', async () => {
  const wrong = refusedUrl((url) => {
    url.password = 'wrong';
  });
  const program = await programFile('migrate');
  const ended = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
    execFile(
      process.execPath,
      [program],
      { env: { ...childEnvironment(), DATABASE_URL: refusedUrl(() => undefined), MIGRATE_DATABASE_URL: wrong } },
      (error, _stdout, stderr) => resolve({ code: error?.code, stderr }),
    );
  });
  expect(ended).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^Postgres rejects our user and password of MIGRATE_DATABASE_URL \(28P01\)/),
  });
});
