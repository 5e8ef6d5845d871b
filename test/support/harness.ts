import { openDatabase, type Database } from '../../src/platform/database/database.ts';
import { entities } from '../../src/processes/entities.ts';
import { createLog, type Log } from '../../src/platform/log.ts';
import type { Metrics } from '../../src/platform/metrics/metrics.ts';
import type { Secrets } from '../../src/platform/secrets/secrets.ts';
import type { Settings } from '../../src/platform/settings.ts';
import { openTemporalGateway, type TemporalGateway } from '../../src/platform/temporal/temporal-gateway.ts';
import { temporalSecurity } from '../../src/platform/temporal/temporal-security.ts';
import { startApi } from '../../src/processes/start-api.ts';
import { startWorkers } from '../../src/processes/start-workers.ts';
import { validateAgainstOpenApi } from './openapi-document.ts';
import { issueToken } from './issue-token.ts';
import { useTemporalRuntime } from './temporal-runtime.ts';
import { cloneTemplate, RESERVE_NUMBERS } from './test-database.ts';
import { createNamespace } from './temporal-namespace.ts';
import { until } from './until.ts';
import { testSettings } from './test-settings.ts';

export interface Answer {
  status: number;
  // A test knows the type of its response.
  body: any;
  /** Names in lower case. */
  headers: Record<string, string>;
}

export interface CallOptions {
  /** Marks random requests: the next run may not send them, so their responses do not count as covered. */
  isDrawn?: boolean;
  token?: string;
  /** Sent as JSON, unless it is a string or bytes. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Aborts the request. */
  signal?: AbortSignal;
}

export interface Service {
  url: string;
  database: Database;
  gateway: TemporalGateway;
  settings: Settings & { DATABASE_URL: string };
  operatorToken: string;
  /** Token of a new supplier key for these import suppliers. */
  supplierToken(codes: string[]): Promise<string>;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Stops the worker: runs still start, but make no progress. */
  stopWorker(): Promise<void>;
  startWorker(): Promise<void>;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  /** False: without a worker, for tests that create nothing. */
  worker?: boolean;
  /** False: the Temporal address has no server. */
  temporal?: boolean;
  /** A separate server, with its namespace `default`. */
  temporalAddress?: string;
  settings?: Record<string, string>;
  log?: Log;
  metrics?: Metrics;
  /** Secrets that change while the service runs. */
  secrets?: (settings: Settings) => Secrets;
  /** Adds a proxy between the service and its database; queries of the test bypass it. */
  throughProxy?: (databaseUrl: string) => Promise<{ url: string; stop(): Promise<void> }>;
}

/**
 * Starts the real service on a free port: a database cloned from the template, a separate Temporal namespace on the
 * run's server, real HTTP. Import supplier SUPPLIER_FR and team Migration exist.
 */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const { worker: hasWorker = false, temporal: hasTemporal = true } = options;
  const log = options.log ?? createLog({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent', process: 'test' });
  useTemporalRuntime(log);
  const clone = await cloneTemplate();
  const proxy = await options.throughProxy?.(clone.applicationUrl);
  const namespace = hasWorker && options.temporalAddress === undefined ? await createNamespace() : 'default';
  const shared = hasTemporal ? (process.env['TEST_TEMPORAL_ADDRESS'] as string) : '127.0.0.1:9';
  const address = options.temporalAddress ?? shared;
  const settings = { ...settingsFor(namespace, options.settings), DATABASE_URL: proxy?.url ?? clone.applicationUrl };
  const gateway = openTemporalGateway({ address, namespace, log, security: temporalSecurity(settings) });
  const database = await openDatabase({ url: clone.url, entities, poolSize: 4, log, applicationName: 'test' });
  await prepare(database);
  const secrets = options.secrets?.(settings);
  const parts = { settings, gateway, log, metrics: options.metrics, ...(secrets ? { secrets } : {}) };
  let worker = hasWorker ? await startWorkers(parts) : undefined;
  const http = await startApi(parts);
  if (worker) await until(() => gateway.isReady());
  return {
    url: http.url,
    database,
    gateway,
    settings,
    operatorToken: await issueToken(database.pool, 'operator', []),
    supplierToken: (codes) => issueToken(database.pool, 'supplier', codes),
    call: checkedByOpenApi(http.url),
    stopWorker: async () => {
      await worker?.stop();
      worker = undefined;
    },
    startWorker: async () => {
      worker = await startWorkers(parts);
    },
    stop: async () => {
      await http.stop();
      await worker?.stop();
      secrets?.close();
      await gateway.close();
      await database.close();
      await proxy?.stop();
      await clone.drop();
    },
  };
}

/** Reserves numbers, and adds an import supplier and a team. */
async function prepare({ pool }: Database): Promise<void> {
  // The timeout for connections is three seconds, which may be too short on a busy machine.
  await until(() =>
    pool.query('select 1').then(
      () => true,
      () => false,
    ),
  );
  await pool.query(
    `${RESERVE_NUMBERS};
    insert into import_supplier (code, name, status) values ('SUPPLIER_FR', 'Supplier of the tests', 'Ongoing') on conflict do nothing;
    insert into operations_team (name) values ('Migration') on conflict do nothing`,
  );
}

function settingsFor(namespace: string, more: Record<string, string> = {}): Settings {
  return testSettings({
    HTTP_PORT: '0',
    SHUTDOWN_DRAIN_MS: '0',
    TEMPORAL_NAMESPACE: namespace,
    WORKFLOW_BUNDLE: process.env['TEST_WORKFLOW_BUNDLE'],
    ...more,
  });
}

/** Sends requests, and checks every response against the OpenAPI document. */
function checkedByOpenApi(url: string): Service['call'] {
  return async (method, path, options) => {
    const answer = await send(url, method, path, options);
    validateAgainstOpenApi(method, path, answer, options?.isDrawn);
    return answer;
  };
}

/** Sends one request like a client. */
export async function send(
  url: string,
  method: string,
  path: string,
  { token, body, headers = {}, signal }: CallOptions = {},
): Promise<Answer> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Token ${token}` }),
      ...headers,
    },
    ...(signal === undefined ? {} : { signal }),
    ...(body === undefined ? {} : { body: isRaw ? (body as string) : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: isLines(response) ? linesIn(text) : text === '' ? undefined : parsed(text),
  };
}

function isLines(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('application/x-ndjson') === true;
}

/** The values of a response with one per line; each line must be complete. */
function linesIn(text: string): unknown[] {
  const lines = text.split('\n');
  if (lines.pop() !== '') throw new Error('The last line of the response is incomplete.');
  return lines.map((line) => JSON.parse(line));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
