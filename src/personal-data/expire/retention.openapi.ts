import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { retentionSchema } from './retention.schema.ts';

/** `GET retention/`. */
export const findRetentionOpenApi: RouteOpenApi = {
  operationId: 'findRetention',
  tag: 'Operations',
  page: 'docs/operators/personal-data.md',
  summary: 'See how long personal data is kept, and what the last night has deleted',
  replies: {
    200: {
      description: 'The classes, with their settings as this process has them.',
      schema: retentionSchema,
      example: {
        from_hour: 1,
        until_hour: 5,
        classes: [
          {
            class: 'created_payload',
            setting: 'CREATED_PAYLOAD_KEPT_DAYS',
            kept_days: 90,
            deleted: 41_200,
            deleted_by_run: 1_200,
            began_at: '2026-11-22T00:00:00.000Z',
            completed_at: '2026-11-22T00:01:40.000Z',
          },
        ],
        last_run: { ended_at: '2026-11-22T00:01:41.000Z', state: 'COMPLETED' },
      },
    },
  },
  refusals: [],
};
