import { Client, type Pool, type PoolClient } from 'pg';
import { readDatabaseUrl } from './connection-options.ts';
import { isRejectedByPooler, sqlStateOf, WRONG_SESSION_SETTING } from './faults.ts';

/** Time limits of statements, lock waits and idle transactions, in milliseconds. */
export interface TimeLimits {
  statement_timeout: number;
  lock_timeout: number;
  idle_in_transaction_session_timeout: number;
}

/** Limits of requests, also set for the service's role. Pools with other limits set them in each transaction. */
export const ROLE_LIMITS: TimeLimits = {
  statement_timeout: 10_000,
  lock_timeout: 5_000,
  idle_in_transaction_session_timeout: 15_000,
};

/**
 * Settings of every session of the service. They are set for the role, because a pooler rejects or drops start-up parameters and shares
 * sessions between clients.
 * The planner overestimates expanded jsonb a thousandfold. Just-in-time compilation would then cost a second per statement, and planning
 * each execution several milliseconds, while a generic plan is equally good. A generic plan, also of a foreign key, may be made while the
 * tables are empty, when a sequential scan looks cheapest, and would be kept as they grow. Every query here uses a key, so sequential scans
 * are disabled.
 */
const ROLE_SETTINGS = {
  jit: 'off',
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  ...Object.fromEntries(Object.entries(ROLE_LIMITS).map(([name, ms]) => [name, `${ms / 1_000}s`])),
};

/** The session lacks a setting of the service's role. The message names the setting. */
class WrongSessionSetting extends Error {
  override name = 'WrongSessionSetting';
  readonly code = WRONG_SESSION_SETTING;
}

const LOCK_KEY = 4_716_203;

/** SQL that gives a role its settings in a database. */
export function roleSettingsSql(role: string, database: string): string {
  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
  return Object.entries(ROLE_SETTINGS)
    .map(([name, value]) => `alter role ${quoted(role)} in database ${quoted(database)} set ${name} = '${value}';`)
    .join('\n');
}

/**
 * Sets the settings of the service's role in its database. Roles may change their own settings.
 * @param url of the service's role
 */
export async function setRoleSettings(url: string): Promise<void> {
  const { url: address, ssl } = readDatabaseUrl(url);
  const client = new Client({ connectionString: address, ...(ssl ? { ssl } : {}) });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query<{ role: string; database: string }>(
      'select current_user as role, current_database() as database',
    );
    // Serialized, because Postgres rejects concurrent changes of a role's settings.
    await client.query(
      `begin; select pg_advisory_xact_lock(${LOCK_KEY}); ${roleSettingsSql(rows[0]!.role, rows[0]!.database)} commit`,
    );
  } finally {
    await client.end();
  }
}

const SHOW = {
  name: 'session-settings',
  text: 'select name, current_setting(name) as value from unnest($1::text[]) as name',
  values: [Object.keys(ROLE_SETTINGS)],
};

/**
 * Verifies the settings of a new session. Uses a prepared statement, so that a pooler without support for prepared statements fails here.
 * @throws WrongSessionSetting
 */
export async function checkSession(client: Pick<PoolClient, 'query'>): Promise<void> {
  const { rows } = await client.query<{ name: string; value: string }>(SHOW);
  const found = new Map(rows.map(({ name, value }) => [name, value]));
  const [wrong] = Object.entries(ROLE_SETTINGS).filter(([name, value]) => found.get(name) !== value);
  if (wrong === undefined) return;
  const [name, value] = wrong;
  throw new WrongSessionSetting(
    `The database session has ${name} = ${found.get(name)} instead of ${value}. Run \`migrate\` of this release, which sets it for the role of DATABASE_URL; ` +
      'behind a pooler, then let the pooler reconnect, and remove what sets it otherwise.',
  );
}

/** Sessions of DATABASE_URL cannot work. The message says what to change. */
export class UnfitSessions extends Error {
  override name = 'UnfitSessions';
}

/** SQLSTATEs from a pooler that gives a session to another client without its prepared statements. */
const PREPARED_STATEMENT_LOST = new Set(['26000', '42P05']);

/**
 * Aborts the start of a process whose sessions cannot work. An unavailable database or a rejected login does not abort it, because both can
 * be corrected while processes run.
 * @throws UnfitSessions
 */
export async function refuseUnfitSessions({ pool }: { pool: Pool }): Promise<void> {
  const clients: PoolClient[] = [];
  try {
    // A second connection shows whether prepared statements of the first interfere.
    while (clients.length < Math.min(2, pool.options.max ?? 1)) clients.push(await pool.connect());
  } catch (error) {
    if (error instanceof WrongSessionSetting) throw new UnfitSessions(error.message);
    const { message } = error as Error;
    const sqlstate = sqlStateOf(error) ?? '';
    if (PREPARED_STATEMENT_LOST.has(sqlstate)) {
      throw new UnfitSessions(
        `The pooler at DATABASE_URL does not carry prepared statements (${sqlstate}: ${message}). Use PgBouncer 1.21 or later with max_prepared_statements = 200, ` +
          'or session pooling, or the address of Postgres itself.',
      );
    }
    if (isRejectedByPooler(error)) {
      throw new UnfitSessions(`The pooler at DATABASE_URL rejects the connection (${sqlstate}: ${message}).`);
    }
  } finally {
    for (const client of clients) client.release();
  }
}

const roleLimits = new Map(Object.entries(ROLE_LIMITS));

/** SQL that sets the limits of a pool in a transaction; empty if they equal those of the role. */
export function limitsOfTransaction(limits: TimeLimits | undefined): string {
  return Object.entries(limits ?? {})
    .filter(([name, ms]) => roleLimits.get(name) !== ms)
    .map(([name, ms]) => `; set local ${name} = ${ms}`)
    .join('');
}
