import { createShortCache } from '../short-cache.ts';
import type { DatabaseState } from '../database/connection-watch.ts';
import type { ClockState } from '../database/watch-clock.ts';
import { liveOpenApi, readyOpenApi } from './health.openapi.ts';
import type { PublicRoute } from './route.ts';
import { refuse } from '../../vocabulary/refusals.ts';

export interface HealthDeps {
  databaseState(): Promise<DatabaseState>;
  isTemporalReady(): Promise<boolean>;
  /** Whether no account numbers and business ids can be issued, so that nothing can be created. */
  areNumbersUnavailable(): boolean;
  clockState(): ClockState;
  isDraining(): boolean;
}

/** Minimum interval between checks of the database and Temporal, because the endpoint needs no token. */
const READY_HOLDS_MS = 1_000;

/**
 * `/healthz/live`: the process runs. `/healthz/ready`: the database responds, Temporal accepts starts, numbers can be issued, and the
 * process is not stopping; the body shows what is unavailable. The result is up to a second old.
 */
export function healthRoutes(deps: HealthDeps): PublicRoute[] {
  const cache = createShortCache<'parts', [DatabaseState, boolean]>({
    load: () => Promise.all([deps.databaseState(), deps.isTemporalReady()]),
    forMs: READY_HOLDS_MS,
  });
  return [
    {
      method: 'GET',
      path: '/healthz/live',
      access: 'public',
      openApi: liveOpenApi,
      handle: async () => ({ status: 200, body: { status: 'ok' } }),
    },
    {
      method: 'GET',
      path: '/healthz/ready',
      access: 'public',
      openApi: readyOpenApi,
      handle: async () => {
        const [database, temporal] = await cache.fetch('parts');
        const parts = {
          database,
          temporal: temporal ? 'ok' : 'away',
          numbers: deps.areNumbersUnavailable() ? 'held_back' : 'ok',
          process: deps.isDraining() ? 'stopping' : 'ok',
        };
        // The service keeps working after a clock jump, so it stays ready.
        const clock = deps.clockState();
        if (Object.values(parts).every((part) => part === 'ok')) {
          return { status: 200, body: { status: 'ok', ...parts, clock } };
        }
        return refuse('service_unavailable', {
          extras: { ...parts, clock },
          retryAfterSeconds: 1,
          detail: 'A dependency is unavailable, or the process is shutting down.',
        });
      },
    },
  ];
}
