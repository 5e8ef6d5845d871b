import { liveContract, readyContract } from './health.contract.ts';
import type { PublicRoute } from './route.ts';
import { refuse } from '../../vocabulary/refusals.ts';

export interface HealthDeps {
  isDatabaseReady(): Promise<boolean>;
  isTemporalReady(): Promise<boolean>;
  isDraining(): boolean;
}

/**
 * `/healthz/live`: the process runs. `/healthz/ready`: database and Temporal answer and the process is not stopping;
 * the body names what is away.
 */
export function healthRoutes(deps: HealthDeps): PublicRoute[] {
  return [
    { method: 'GET', path: '/healthz/live', access: 'public', contract: liveContract, handle: async () => ({ status: 200, body: { status: 'ok' } }) },
    {
      method: 'GET',
      path: '/healthz/ready',
      access: 'public',
      contract: readyContract,
      handle: async () => {
        const [database, temporal] = await Promise.all([deps.isDatabaseReady(), deps.isTemporalReady()]);
        const parts = { database: database ? 'ok' : 'away', temporal: temporal ? 'ok' : 'away', process: deps.isDraining() ? 'stopping' : 'ok' };
        if (database && temporal && !deps.isDraining()) return { status: 200, body: { status: 'ok', ...parts } };
        return refuse('service_unavailable', { extras: parts, retryAfterSeconds: 1, detail: 'A part of the service is out of reach or the process stops.' });
      },
    },
  ];
}
