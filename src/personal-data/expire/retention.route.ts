import { type Static, Type } from 'typebox';
import { findAuditEntries } from '../../access/index.ts';
import type { Database } from '../../platform/database/database.ts';
import { operatorRead, type Route } from '../../platform/http/route.ts';
import type { Settings } from '../../platform/settings.ts';
import { requiredChoice, requiredInstant } from '../../platform/validation/field-types.schema.ts';
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

/** The retention as operators see it. */
const retentionSchema = Type.Object(
  {
    from_hour: Type.Integer({ description: 'Hour of the night, local time in France.', examples: [1] }),
    until_hour: Type.Integer({ examples: [5] }),
    classes: Type.Array(
      Type.Object({
        class: requiredChoice(retentionClasses, { examples: ['created_payload'] }),
        setting: Type.String({
          description: 'Name of the setting with the retention period.',
          examples: ['CREATED_PAYLOAD_KEPT_DAYS'],
        }),
        kept_days: Type.Integer({ examples: [90] }),
        deleted: Type.Integer({ description: 'Number deleted by all runs.', examples: [41_200] }),
        deleted_by_run: Type.Integer({ description: 'Number deleted by the current or last run.', examples: [1_200] }),
        began_at: requiredInstant({ description: 'Start of that run.', examples: ['2026-11-22T00:00:00.000Z'] }),
        completed_at: requiredInstant({
          description: 'Time when no expired data was left; earlier than `began_at` while expired data is left.',
          examples: ['2026-11-22T00:01:40.000Z'],
        }),
      }),
    ),
    last_run: Type.Unsafe<{ ended_at: string; state: string } | null>({
      type: ['object', 'null'],
      required: ['ended_at', 'state'],
      properties: {
        ended_at: { type: 'string', format: 'date-time' },
        state: { type: 'string', description: 'COMPLETED, NIGHT_OVER if the next night continues, or CANCELLED.' },
      },
      description: 'The last run; null before the first one.',
      examples: [{ ended_at: '2026-11-22T00:01:41.000Z', state: 'COMPLETED' }],
    }),
  },
  { title: 'Retention' },
);

export type RetentionView = Static<typeof retentionSchema>;

/** `GET retention/`: how long personal data is kept, and how much was deleted. */
export const findRetention = (deps: RetentionDeps): Route =>
  operatorRead({
    path: '/v1/operations/retention',
    openApi: {
      operationId: 'findRetention',
      page: 'docs/operators/personal-data.md',
      summary: 'Read the retention periods and the last deletions',
      replies: {
        200: { description: 'The classes of data with the settings of this process.', schema: retentionSchema },
      },
    },
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
