import { findAuditEntries } from '../../access/index.ts';
import { type RetentionView, findRetentionOpenApi } from './retention.openapi.ts';
import { findRetention as findStates } from './retention.store.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Route } from '../../platform/http/route.ts';
import type { Settings } from '../../platform/settings.ts';
import type { RetentionClass } from '../../vocabulary/retention-classes.ts';

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

/** How long personal data is kept, by the settings of this process, and what the nights have deleted. */
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
