import { type Static, Type } from 'typebox';
import { findAuditEntries } from '../../access/index.ts';
import type { Database } from '../../platform/database/database.ts';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import type { Route } from '../../platform/http/route.ts';
import type { Settings } from '../../platform/settings.ts';
import { requiredChoice } from '../../platform/validation/field-types.schema.ts';
import { type RetentionClass, retentionClasses } from '../../vocabulary/retention-classes.ts';
import { findRetention as findStates } from './retention.store.ts';

const SETTINGS = {
  created_payload: 'CREATED_PAYLOAD_KEPT_DAYS',
  never_created: 'NEVER_CREATED_KEPT_DAYS',
  audit: 'AUDIT_KEPT_DAYS',
  idempotency_key: 'IDEMPOTENCY_KEYS_KEPT_DAYS',
} as const satisfies Record<RetentionClass, keyof Settings>;

interface RetentionDeps {
  database: Database;
  settings: Pick<Settings, (typeof SETTINGS)[RetentionClass] | 'RETENTION_FROM_HOUR' | 'RETENTION_UNTIL_HOUR'>;
}

/** `GET retention/`: how long personal data is kept, and how much was deleted. */
export const findRetention = (deps: RetentionDeps): Route => ({
  method: 'GET',
  path: '/v1/operations/retention',
  access: 'operator',
  action: 'look',
  openApi: findRetentionOpenApi,
  handle: async () => ({ status: 200, body: await readRetention(deps) }),
});

/** Reads how long personal data is kept, by the settings of this process, and how much was deleted. */
export async function readRetention({ database, settings }: RetentionDeps): Promise<RetentionView> {
  const states = await findStates(database);
  const [last] = await findAuditEntries(database.em(), { limit: 1, subject: 'retention', action: 'retention.ended' });
  return {
    from_hour: settings.RETENTION_FROM_HOUR,
    until_hour: settings.RETENTION_UNTIL_HOUR,
    classes: states.map((state) => ({
      class: state.class,
      setting: SETTINGS[state.class],
      kept_days: settings[SETTINGS[state.class]],
      deleted: state.deleted,
      deleted_by_run: state.deletedByRun,
      began_at: state.startedAt.toISOString(),
      completed_at: state.completedAt.toISOString(),
    })),
    last_run: last === undefined ? null : { ended_at: last.at, state: (last.after as { state: string }).state },
  };
}

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
const findRetentionOpenApi: RouteOpenApi = {
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
