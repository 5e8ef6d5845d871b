import { Type } from 'typebox';
import { createShortCache } from '../short-cache.ts';
import type { DatabaseState } from '../database/connection-watch.ts';
import type { ClockState } from '../database/watch-clock.ts';
import type { RouteOpenApi } from './route-openapi.ts';
import type { PublicRoute } from './route.ts';
import { oneOf } from '../validation/field-types.schema.ts';
import { refuse } from '../../vocabulary/refusals.ts';

export interface HealthDeps {
  databaseState(): Promise<DatabaseState>;
  isTemporalReady(): Promise<boolean>;
  /** Whether no account numbers and business ids can be issued, so that nothing can be created. */
  areNumbersUnavailable(): boolean;
  clockState(): ClockState;
  isDraining(): boolean;
}

const part = (values: readonly string[]) => oneOf(values, { examples: ['ok'] });
const parts = {
  database: part(['ok', 'away', 'misconfigured', 'not_writable']),
  temporal: part(['ok', 'away']),
  numbers: part(['ok', 'held_back']),
  process: part(['ok', 'stopping']),
  clock: part(['ok', 'jumped']),
};

const liveOpenApi: RouteOpenApi = {
  operationId: 'isLive',
  tag: 'Health',
  summary: 'Check that the process runs',
  page: 'docs/running/processes.md#readiness',
  replies: { 200: { description: 'The process runs.', schema: Type.Object({ status: part(['ok']) }) } },
  neverAnswers: ['error', 'service_unavailable'],
};

const readyOpenApi: RouteOpenApi = {
  operationId: 'isReady',
  tag: 'Health',
  summary: 'Check that the process is ready for requests',
  description:
    'Ready means: the database responds, Temporal accepts a workflow start, account numbers can be reserved, and the process is not shutting down. The body lists what is unavailable; `misconfigured`: the database rejects our settings; `not_writable`: it does not store data. A jump of the database clock within the last minute is reported as `clock: jumped`; the process stays ready. Database and Temporal are checked at most once per second.',
  page: 'docs/running/processes.md#readiness',
  replies: { 200: { description: 'The process is ready.', schema: Type.Object({ status: part(['ok']), ...parts }) } },
  neverAnswers: ['error'],
  // Optional, because the process may fail before it has checked them.
  refusalMembers: { service_unavailable: Type.Partial(Type.Object(parts), { title: 'AwayParts' }) },
};

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
