import { refuse } from '../../vocabulary/refusals.ts';
import type { Route } from '../http/route.ts';
import { isTemporalAway } from '../temporal/temporal-faults.ts';
import { listStuckContract } from './stuck.contract.ts';
import type { StuckWork } from './stuck-work.ts';

/** `GET stuck/?account=`: what waits, since when, why and what to do about it, longest first (design 4). */
export const listStuck = (deps: { stuck: StuckWork }): Route => ({
  method: 'GET',
  path: '/v1/operations/stuck',
  access: 'operator',
  contract: listStuckContract,
  handle: async ({ query }) => {
    const account = query.get('account') || undefined;
    // What the database cannot hold as text is the number of nothing.
    if (account?.includes('\0')) return { status: 200, body: { stuck: [], complete: true } };
    try {
      return { status: 200, body: await deps.stuck.list(account) };
    } catch (error) {
      if (isTemporalAway(error)) return temporalAway();
      throw error;
    }
  },
});

/** Refusal while Temporal cannot be asked. */
export function temporalAway() {
  return refuse('service_unavailable', { detail: 'Temporal cannot be reached, so what waits is not known; it goes on by itself when Temporal is back.', retryAfterSeconds: 5 });
}
