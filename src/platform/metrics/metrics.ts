import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Meter } from '@opentelemetry/api';
import type { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import type { Pool } from 'pg';
import { misconfigurationOf } from '../database/connection-watch.ts';
import type { AnsweredRequest } from '../http/note-answered.ts';
import {
  limitConnections,
  sidePort,
  type ConnectionCounts,
  type LimitedConnections,
} from '../http/connection-limit.ts';
import type { KeyedOutcome } from '../http/keyed-requests.ts';
import type { LargeBodyGate } from '../http/large-body-gate.ts';
import { knownMethod } from '../http/request-span.ts';
import { loggedFault, type Log } from '../log.ts';
import type { Settings } from '../settings.ts';
import { observeConnections } from './connection-metrics.ts';
import { observeDueWork, type Backlog } from './due-work-metrics.ts';
import { observeRetention, observeStoredJobs, type MeasuredRetention } from './retention-metrics.ts';
import { observeProcess } from './process-metrics.ts';
import { observeStuck, type MeasuredStuck } from './stuck-metrics.ts';
import { observeState, type MeasuredState } from './state-metrics.ts';

/** In seconds. The buckets of OpenTelemetry's conventions for requests, plus 30 s for slow creations. */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30];
const BATCH_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128];

/** The creation queue (account-import/create/create-account.queue.ts). */
interface ObservedQueue {
  state(): { waitingRequests: number; openRuns: number; slotsInUse: number };
}

/** The number keeper (numbers/keep-numbers.ts). */
interface ObservedNumbers {
  areUnavailable(): boolean;
}

/** Metrics of a process. Labels never contain account numbers, paths or other request data: routes are templates, outcomes are codes of the catalog. */
export interface Metrics {
  requestAnswered(answered: AnsweredRequest): void;
  /** @param outcome `created`, or the code of the refusal */
  accountImported(importSupplier: string, outcome: string): void;
  batchStarted(accounts: number): void;
  /** Counts a request with an Idempotency-Key. */
  keyedRequest(outcome: KeyedOutcome): void;
  /** Counts lines of import jobs by outcome. */
  linesDone(kind: string, counts: { succeeded: number; failed: number }): void;
  /** @param outcome the class of the call: `ok`, `rejected`, `busy`, `unavailable`, `misconfigured` */
  partnerCalled(partner: string, outcome: string): void;
  observeQueue(queue: ObservedQueue): void;
  observePool(name: string, pool: Pool): void;
  observeLargeBodies(gate: Pick<LargeBodyGate, 'state'>): void;
  /** Only the first call per process has an effect, here and for the other `observe` members below. */
  observeConnections(counts: () => ConnectionCounts): void;
  observeDueWork(read: () => Promise<Backlog>): void;
  observeState(read: () => Promise<MeasuredState>): void;
  observeNumbers(numbers: ObservedNumbers): void;
  observeStuck(read: () => Promise<readonly MeasuredStuck[]>): void;
  observeRetention(read: () => Promise<readonly MeasuredRetention[]>): void;
  observeStoredJobs(read: () => Promise<readonly { organisation: string; bytes: number }[]>): void;
  stop(): Promise<void>;
}

/** Measures nothing; used if no port is configured. */
export const noMetrics: Metrics = {
  requestAnswered: () => {},
  accountImported: () => {},
  batchStarted: () => {},
  keyedRequest: () => {},
  linesDone: () => {},
  partnerCalled: () => {},
  observeQueue: () => {},
  observePool: () => {},
  observeLargeBodies: () => {},
  observeConnections: () => {},
  observeDueWork: () => {},
  observeState: () => {},
  observeNumbers: () => {},
  observeStuck: () => {},
  observeRetention: () => {},
  observeStoredJobs: () => {},
  stop: async () => {},
};

/**
 * Opens the process's metrics on a separate port, where Prometheus reads `/metrics`. If the port cannot be opened, the error is logged and
 * the service runs without metrics.
 * @param buildId release and commit
 */
export async function openMetrics(
  settings: Pick<Settings, 'METRICS_PORT' | 'METRICS_HOST'>,
  log: Log,
  buildId: string,
): Promise<Metrics> {
  if (settings.METRICS_PORT === undefined) return noMetrics;
  // About two hundred modules, which a process without metrics need not load.
  const [{ CurrentValuesExporter }, { MeterProvider }] = await Promise.all([
    import('./current-values-exporter.ts'),
    import('@opentelemetry/sdk-metrics'),
  ]);
  const exporter = new CurrentValuesExporter({
    preventServerStart: true,
    withoutTargetInfo: true,
    withoutScopeInfo: true,
  });
  const provider = new MeterProvider({ readers: [exporter] });
  const { server, limited } = serveMetrics(exporter, log);
  try {
    server.listen(settings.METRICS_PORT, settings.METRICS_HOST);
    await once(server, 'listening');
  } catch (error) {
    log.error(
      { port: settings.METRICS_PORT, fault: loggedFault(error) },
      'the metrics port cannot be opened; metrics are disabled',
    );
    return noMetrics;
  }
  const meter = provider.getMeter('gangway');
  const stopSampling = observeProcess(meter, buildId);
  return {
    ...createRecorders(meter),
    stop: async () => {
      stopSampling();
      server.closeAllConnections();
      server.close();
      limited.stop();
      await provider.shutdown();
    },
  };
}

/** The exporter's own server accepts any number of connections. */
function serveMetrics(exporter: PrometheusExporter, log: Log): { server: Server; limited: LimitedConnections } {
  const server = createServer(sidePort.deadlines, (request, response) => {
    if (request.url?.split('?', 1)[0] === '/metrics') exporter.getMetricsRequestHandler(request, response);
    else response.writeHead(404).end();
  });
  const limited = limitConnections(server, sidePort.limits, log, 'metrics');
  // The metrics server must not keep the process alive.
  server.unref();
  return { server, limited };
}

/** Creates all metrics of a process except those of `observeProcess`. */
export function createRecorders(meter: Meter): Omit<Metrics, 'stop'> {
  const duration = meter.createHistogram('http.server.request.duration', {
    description: 'Duration of requests by the template of their path.',
    unit: 's',
    advice: { explicitBucketBoundaries: DURATION_BUCKETS },
  });
  const imports = meter.createCounter('import.accounts', {
    description: 'Requests to create an account by outcome: created, or the code of the rejection.',
  });
  const batches = meter.createHistogram('import.accounts.batch.size', {
    description: 'Accounts in one creation run.',
    advice: { explicitBucketBoundaries: BATCH_BUCKETS },
  });
  const keyed = meter.createCounter('http.idempotency.requests', {
    description:
      'Requests with an Idempotency-Key by outcome: kept (executed, response stored), not_kept (rejected), replayed, in_use (409), reused (422), failed.',
  });
  const partners = meter.createCounter('partner.requests', {
    description: 'Calls to outside parties by class of the outcome.',
  });
  const lines = meter.createCounter('import.job.lines', {
    description: 'Lines of import jobs by kind and outcome: succeeded or failed.',
  });
  const pools = new Map<string, Pool>();
  observePools(meter, pools);
  const once = firstCallOf(meter);
  return {
    requestAnswered: ({ method, route, status, code, durationSeconds }) =>
      duration.record(durationSeconds, {
        'http.request.method': knownMethod(method),
        'http.route': route,
        'http.response.status_code': status,
        ...(code === undefined ? {} : { 'error.type': code }),
      }),
    accountImported: (importSupplier, outcome) => imports.add(1, { supplier: importSupplier, outcome }),
    batchStarted: (accounts) => batches.record(accounts),
    keyedRequest: (outcome) => keyed.add(1, { outcome }),
    linesDone: (kind, { succeeded, failed }) => {
      if (succeeded > 0) lines.add(succeeded, { kind, outcome: 'succeeded' });
      if (failed > 0) lines.add(failed, { kind, outcome: 'failed' });
    },
    partnerCalled: (partner, outcome) => partners.add(1, { partner, class: outcome }),
    observeQueue: (queue) => observeQueue(meter, queue),
    observeLargeBodies: (gate) => observeLargeBodies(meter, gate),
    observePool: (name, pool) => {
      pools.set(name, pool);
    },
    observeConnections: once(observeConnections),
    observeDueWork: once(observeDueWork),
    observeState: once(observeState),
    observeNumbers: once(observeNumbers),
    observeStuck: once(observeStuck),
    observeRetention: once(observeRetention),
    observeStoredJobs: once(observeStoredJobs),
  };
}

/** API and worker in one process share its metrics, so only the first observer of each is registered. */
function firstCallOf(meter: Meter) {
  return <Observed>(observe: (meter: Meter, observed: Observed) => void): ((observed: Observed) => void) => {
    let isObserved = false;
    return (observed) => {
      if (!isObserved) observe(meter, observed);
      isObserved = true;
    };
  };
}

function observeQueue(meter: Meter, queue: ObservedQueue): void {
  const waiting = meter.createObservableGauge('import.queue.waiting', {
    description: 'Creation requests that wait for a run.',
  });
  const open = meter.createObservableGauge('import.queue.open_runs', {
    description: 'Creation runs that have not ended.',
  });
  const slotsInUse = meter.createObservableGauge('import.queue.places_taken', {
    description: 'Creation runs that hold a slot.',
  });
  meter.addBatchObservableCallback(
    (result) => {
      const state = queue.state();
      result.observe(waiting, state.waitingRequests);
      result.observe(open, state.openRuns);
      result.observe(slotsInUse, state.slotsInUse);
    },
    [waiting, open, slotsInUse],
  );
}

function observeLargeBodies(meter: Meter, gate: Pick<LargeBodyGate, 'state'>): void {
  const bytes = meter.createObservableGauge('http.server.large_bodies.size', {
    description: 'Bytes of large request bodies in progress.',
    unit: 'By',
  });
  const waiting = meter.createObservableGauge('http.server.large_bodies.waiting', {
    description: 'Large request bodies that wait for capacity.',
  });
  const refused = meter.createObservableCounter('http.server.large_bodies.refused', {
    description: 'Large request bodies rejected because there was no capacity in time.',
  });
  meter.addBatchObservableCallback(
    (result) => {
      const state = gate.state();
      result.observe(bytes, state.bytesInFlight);
      result.observe(waiting, state.waiting);
      result.observe(refused, state.refused);
    },
    [bytes, waiting, refused],
  );
}

function observePools(meter: Meter, pools: ReadonlyMap<string, Pool>): void {
  const count = meter.createObservableGauge('db.client.connection.count', {
    description: 'Database connections by state.',
  });
  const pending = meter.createObservableGauge('db.client.connection.pending_requests', {
    description: 'Requests that wait for a database connection.',
  });
  const max = meter.createObservableGauge('db.client.connection.max', {
    description: 'Limit of connections of the pool.',
  });
  const refused = meter.createObservableGauge('db.client.misconfigured', {
    description: '1 while the database rejects the settings of the pool: user, password, database name or rights.',
  });
  meter.addBatchObservableCallback(
    (result) => {
      for (const [name, pool] of pools) {
        const labels = { 'db.client.connection.pool.name': name };
        result.observe(count, pool.idleCount, { ...labels, 'db.client.connection.state': 'idle' });
        result.observe(count, pool.totalCount - pool.idleCount, { ...labels, 'db.client.connection.state': 'used' });
        result.observe(pending, pool.waitingCount, labels);
        result.observe(max, pool.options.max ?? 0, labels);
        result.observe(refused, misconfigurationOf(pool) === undefined ? 0 : 1, labels);
      }
    },
    [count, pending, max, refused],
  );
}

function observeNumbers(meter: Meter, { areUnavailable }: ObservedNumbers): void {
  const unavailable = meter.createObservableGauge('import.numbers.held_back', {
    description: '1 while no account numbers and business ids can be reserved, so that no account can be created.',
  });
  unavailable.addCallback((result) => result.observe(areUnavailable() ? 1 : 0));
}
