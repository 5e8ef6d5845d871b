import { listedExample } from '../import-jobs/find/find-import-job.openapi.ts';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { overviewSchema } from './overview.schema.ts';

/** `GET overview/`. */
export const overviewOpenApi: RouteOpenApi = {
  operationId: 'findOverview',
  tag: 'Operations',
  summary: 'Show the state of the whole service',
  description:
    'The overview is at most one second old, and the health of outside parties at most 5 seconds. `stuck` has a timestamp of its own.',
  page: 'docs/operators/support-site.md',
  replies: {
    200: {
      description: 'The state of the service.',
      schema: overviewSchema,
      example: {
        read_at: '2026-11-20T17:00:05.000Z',
        accounts: [
          {
            import_supplier: 'SUPPLIER_FR',
            known: 10_000,
            staged: 5_763,
            refused: 37,
            skipped: 0,
            being_created: 0,
            created: 4_200,
            switch: { PENDING: 4_190, IN_PROGRESS: 8, REJECTED: 1, COMPLETED: 1 },
          },
        ],
        creations: {
          from: '2026-11-20T14:01:00.000Z',
          minutes: [{ minute: '2026-11-20T17:00:00.000Z', created: 4_200 }],
        },
        import_jobs: [listedExample],
        look_ups: [
          {
            network_operator: 'enedis',
            open_batches: 1,
            pending: 8_000,
            per_second: 2.6,
            requests_per_second: 5,
            requests_per_hour: 10_000,
            used_per_second: 2.681,
            blocked_until: null,
            estimated_end_at: '2026-11-20T17:51:22.000Z',
          },
        ],
        stuck: {
          read_at: '2026-11-20T17:00:04.000Z',
          total: 1,
          counted_all: true,
          counts: [{ cause: 'database_refuses_data', count: 1 }],
        },
        parties: [
          {
            party: 'enedis',
            state: 'answers',
            answered_at: '2026-11-20T17:00:03.000Z',
            failed_at: null,
            failure: null,
            rests_until: null,
          },
        ],
        database: { answered_in_ms: 1 },
        temporal: { state: 'ok' },
        due_work: {
          kinds: [],
          dispatcher: { holder: null, held_since: null, overdue: false, last_swept_at: '2026-11-20T16:59:50.000Z' },
          creation_slots: { held: 0, oldest_taken_at: null },
        },
      },
    },
  },
  refusals: [],
};
