import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { DatabaseState } from '../platform/database/connection-watch.ts';
import type { ClockState } from '../platform/database/watch-clock.ts';
import { createShortCache } from '../platform/short-cache.ts';
import { limitConnections, sidePort } from '../platform/http/connection-limit.ts';
import { loggedFault, type Log } from '../platform/log.ts';
import type { Settings } from '../platform/settings.ts';

/** Dependencies of a worker's readiness. */
export interface WorkerParts {
  databaseState(): Promise<DatabaseState>;
  isTemporalReady(): Promise<boolean>;
  /** Whether the workers of all task queues are running. */
  areWorkersRunning(): boolean;
  clockState(): ClockState;
}

export interface WorkerHealth {
  /** Reports from now on that the worker is stopping. */
  drain(): void;
  stop(): Promise<void>;
}

/** Minimum interval between checks, for any number of callers. */
const READY_HOLDS_MS = 1_000;

/**
 * Serves `/healthz/live` and `/healthz/ready` of a worker on a separate port, in the format of the API. If the port cannot be opened, the
 * error is logged and the worker runs without health checks.
 */
export async function serveWorkerHealth(
  settings: Pick<Settings, 'WORKER_HEALTH_PORT' | 'METRICS_HOST'>,
  parts: WorkerParts,
  log: Log,
): Promise<WorkerHealth> {
  if (settings.WORKER_HEALTH_PORT === undefined) return { drain: () => {}, stop: async () => {} };
  let isStopping = false;
  const cache = createShortCache<'parts', [DatabaseState, boolean]>({
    load: () => Promise.all([parts.databaseState(), parts.isTemporalReady()]),
    forMs: READY_HOLDS_MS,
  });
  const ready = async () => {
    const [database, isTemporalReady] = await cache.fetch('parts');
    const states = {
      database,
      temporal: isTemporalReady ? 'ok' : 'away',
      workers: parts.areWorkersRunning() ? 'ok' : 'starting',
      process: isStopping ? 'stopping' : 'ok',
    };
    // The worker keeps working after a clock jump, so it stays ready.
    return {
      isReady: Object.values(states).every((part) => part === 'ok'),
      states: { ...states, clock: parts.clockState() },
    };
  };
  const server = createServer(sidePort.deadlines, (request, response) => {
    const path = request.url?.split('?', 1)[0]?.replace(/\/$/, '');
    if (path === '/healthz/live') return answer(response, 200, { status: 'ok' });
    if (path !== '/healthz/ready') return answer(response, 404, { status: 'not_found' });
    ready().then(
      ({ isReady, states }) =>
        answer(response, isReady ? 200 : 503, { status: isReady ? 'ok' : 'service_unavailable', ...states }),
      () => answer(response, 503, { status: 'service_unavailable' }),
    );
  });
  const limited = limitConnections(server, sidePort.limits, log, 'worker health');
  server.listen(settings.WORKER_HEALTH_PORT, settings.METRICS_HOST);
  try {
    await once(server, 'listening');
    log.info({ port: (server.address() as AddressInfo).port }, 'worker health checks listen');
  } catch (error) {
    log.error(
      { port: settings.WORKER_HEALTH_PORT, fault: loggedFault(error) },
      'port of the health checks cannot be opened; they are disabled',
    );
  }
  return {
    drain: () => {
      isStopping = true;
    },
    stop: async () => {
      server.closeAllConnections();
      limited.stop();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

function answer(response: ServerResponse, status: number, body: object): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(JSON.stringify(body));
}
