import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Meter } from '@opentelemetry/api';
import type { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import type { Pool } from 'pg';
import { knownMethod, type AnsweredRequest } from '../http/note-answered.ts';
import { limitConnections, sidePort, type LimitedConnections } from '../http/connection-limit.ts';
import type { KeyedOutcome } from '../http/keyed-requests.ts';
import { loggedFault, type Log } from '../log.ts';
import type { Settings } from '../settings.ts';
import { createObservers, type Observe, type Observers } from './observed-metrics.ts';

/** In seconds. The buckets of OpenTelemetry's conventions for requests, plus 30 s for slow creations. */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30];
const BATCH_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128];
const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;

/** Metrics of a process. Labels never contain account numbers, paths or other request data: routes are templates, outcomes are codes of the catalog. */
export interface Metrics extends Observers {
  requestAnswered(answered: AnsweredRequest): void;
  /** @param outcome `created`, or the code of the refusal */
  accountImported(importSupplier: string, outcome: string, durationSeconds: number): void;
  batchStarted(accounts: number): void;
  /** Counts a request with an Idempotency-Key. */
  keyedRequest(outcome: KeyedOutcome): void;
  /** Counts lines of import jobs by outcome. */
  linesDone(kind: string, counts: { succeeded: number; failed: number }): void;
  /** @param outcome the class of the call: `ok`, `rejected`, `busy`, `unavailable`, `misconfigured` */
  partnerCalled(partner: string, outcome: string): void;
  observePool(name: string, pool: Pool): void;
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
  observePool: () => {},
  observe: () => {},
  observeService: () => {},
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
  const recorders = createRecorders(provider.getMeter('gangway'), buildId);
  return {
    ...recorders,
    stop: async () => {
      recorders.stop();
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

/** Creates all metrics of a process. `stop` ends the sampling of the event loop. */
export function createRecorders(meter: Meter, buildId: string): Omit<Metrics, 'stop'> & { stop(): void } {
  const durations = (name: string, description: string) =>
    meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries: DURATION_BUCKETS } });
  const duration = durations('http.server.request.duration', 'Duration of requests by the template of their path.');
  const importDuration = durations('import.accounts.duration', 'Duration of requests to create an account.');
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
  const { add, ...observers } = createObservers(meter);
  const pools = new Map<string, Pool>();
  observers.observe('pools', () => pools);
  const eventLoop = monitorEventLoopDelay({ resolution: 20 });
  eventLoop.enable();
  add((observe) => observeProcess(observe, buildId, eventLoop));
  return {
    ...observers,
    requestAnswered: ({ method, route, status, code, durationSeconds }) =>
      duration.record(durationSeconds, {
        'http.request.method': knownMethod(method),
        'http.route': route,
        'http.response.status_code': status,
        ...(code === undefined ? {} : { 'error.type': code }),
      }),
    accountImported: (importSupplier, outcome, durationSeconds) => {
      imports.add(1, { supplier: importSupplier, outcome });
      importDuration.record(durationSeconds, { supplier: importSupplier });
    },
    batchStarted: (accounts) => batches.record(accounts),
    keyedRequest: (outcome) => keyed.add(1, { outcome }),
    linesDone: (kind, { succeeded, failed }) => {
      if (succeeded > 0) lines.add(succeeded, { kind, outcome: 'succeeded' });
      if (failed > 0) lines.add(failed, { kind, outcome: 'failed' });
    },
    partnerCalled: (partner, outcome) => partners.add(1, { partner, class: outcome }),
    observePool: (name, pool) => {
      pools.set(name, pool);
    },
    stop: () => {
      eventLoop.disable();
    },
  };
}

/** Basic metrics of a process: build, processor, memory, event loop. */
function observeProcess(observe: Observe, buildId: string, eventLoop: ReturnType<typeof monitorEventLoopDelay>): void {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  observe('build.info', 1, { 'build.id': buildId });
  observe('process.cpu.time', user / MICROSECONDS, { 'cpu.mode': 'user' });
  observe('process.cpu.time', system / MICROSECONDS, { 'cpu.mode': 'system' });
  observe('process.memory.usage', rss);
  observe('v8js.memory.heap.used', heapUsed);
  observe('process.uptime', process.uptime());
  // Before the first sample the percentile is NaN.
  observe('nodejs.eventloop.delay.p99', eventLoop.count === 0 ? 0 : eventLoop.percentile(99) / NANOSECONDS);
  observe('nodejs.eventloop.delay.max', eventLoop.count === 0 ? 0 : eventLoop.max / NANOSECONDS);
  eventLoop.reset();
}
