import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { violation } from '../vocabulary/violations.ts';
import type { Route } from '../platform/http/route.ts';
import { isTemporalAway } from '../platform/temporal/temporal-faults.ts';
import { listStuckOpenApi } from './stuck.openapi.ts';
import { stuckCursors, type StuckPlace, type StuckWork } from './list-stuck.client.ts';

/** `GET stuck/`: what is pending, since when, why and what to do about it, longest first; `account`, `cause` and `cursor` narrow it down. */
export const listStuck = (deps: { stuck: StuckWork }): Route => ({
  method: 'GET',
  path: '/v1/operations/stuck',
  access: 'operator',
  action: 'read',
  openApi: listStuckOpenApi,
  handle: async ({ query }) => {
    const after = readCursor(query.get('cursor'));
    if (isRefused(after)) return after;
    try {
      return {
        status: 200,
        body: await deps.stuck.list({
          account: heldAsText(query.get('account')),
          cause: query.get('cause') || undefined,
          after,
        }),
      };
    } catch (error) {
      if (isTemporalAway(error)) return temporalAway();
      throw error;
    }
  },
});

/** The place that a cursor names; undefined for the beginning. */
export function readCursor(cursor: string | null): StuckPlace | Refused | undefined {
  const place = cursor ? stuckCursors.placeIn(cursor) : undefined;
  if (!cursor || place !== undefined) return place;
  return refuse('validation_failed', {
    violations: [violation('invalid', ['cursor'], 'Take next_cursor from the answer before.')],
  });
}

/** What the database cannot hold as text is the number of nothing; no number is a lone space. */
function heldAsText(account: string | null): string | undefined {
  if (!account) return undefined;
  return account.includes('\0') ? ' ' : account;
}

/** Refusal while Temporal cannot be asked. */
export function temporalAway() {
  return refuse('service_unavailable', {
    detail: 'Temporal cannot be reached, so what is pending is not known; it goes on by itself when Temporal is back.',
    retryAfterSeconds: 5,
  });
}
