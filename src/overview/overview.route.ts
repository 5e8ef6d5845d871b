import { operatorRead, type Route } from '../platform/http/route.ts';
import { overviewSchema } from './overview.schema.ts';
import type { OverviewReader } from './read-overview.client.ts';

/** Counting stuck work may take long; after this time the response contains null instead. */
const ANSWER_TIMEOUT_MS = 3_000;

/** `GET overview/`: the state of the whole service. */
export const findOverview = ({ overview }: { overview: OverviewReader }): Route =>
  operatorRead({
    path: '/v1/operations/overview',
    openApi: {
      operationId: 'findOverview',
      summary: 'Show the state of the whole service',
      description:
        'The overview is at most one second old, and the health of outside parties at most 5 seconds. `stuck` has a timestamp of its own.',
      page: 'docs/operators/support-site.md',
      replies: {
        200: {
          description: 'The state of the service.',
          schema: overviewSchema,
          example: {
            stuck: {},
            due_work: {
              kinds: [],
              dispatcher: { holder: null, held_since: null, last_swept_at: '2026-11-20T16:59:50.000Z' },
              creation_slots: { held: 0, oldest_taken_at: null },
            },
          },
        },
      },
    },
    handle: async () => ({ status: 200, body: await overview.read(ANSWER_TIMEOUT_MS) }),
  });
