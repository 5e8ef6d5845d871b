import { type Static, Type } from 'typebox';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { requiredChoice } from '../../platform/validation/field-types.schema.ts';
import { retentionClasses } from '../../vocabulary/retention-classes.ts';

/** The retention as operators see it. */
const retentionSchema = Type.Object(
  {
    from_hour: Type.Integer({ description: 'Of the night, in France.' }),
    until_hour: Type.Integer(),
    classes: Type.Array(
      Type.Object({
        class: requiredChoice(retentionClasses),
        setting: Type.String({ description: 'Name of the setting that says how long it is kept.' }),
        kept_days: Type.Integer(),
        deleted: Type.Integer({ description: 'By all runs.' }),
        deleted_by_run: Type.Integer({ description: 'By the run under way, or the last one.' }),
        began_at: Type.String({ format: 'date-time', minLength: 1, description: 'When that run began.' }),
        completed_at: Type.String({
          format: 'date-time',
          minLength: 1,
          description: 'When nothing more was due; before `began_at` while something is left.',
        }),
      }),
    ),
    last_run: Type.Unsafe<{ ended_at: string; state: string } | null>({
      type: ['object', 'null'],
      required: ['ended_at', 'state'],
      properties: {
        ended_at: { type: 'string', format: 'date-time' },
        state: { type: 'string', description: 'COMPLETED, NIGHT_OVER where the next night goes on, or CANCELLED.' },
      },
      description: 'Null before the first night.',
    }),
  },
  { title: 'Retention' },
);

export type RetentionView = Static<typeof retentionSchema>;

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
