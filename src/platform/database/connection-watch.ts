import type { Pool, PoolClient } from 'pg';
import type { Log } from '../log.ts';
import { isMisconfiguration, sqlStateOf } from './faults.ts';

/** How a pool stands with its database: `misconfigured`: it is refused, and people have to mend a setting. */
export type DatabaseState = 'ok' | 'away' | 'misconfigured';

/** The alarm is repeated no more often while it goes on. */
const ALARM_EVERY_MS = 60_000;

const misconfigured = new WeakMap<Pool, string>();

/** The SQLSTATE by which the database refused the pool's last connection for its settings; undefined when it did not. */
export function misconfigurationOf(pool: Pool): string | undefined {
  return misconfigured.get(pool);
}

type Connected = (error: Error | undefined, client: PoolClient | undefined, done: (release?: unknown) => void) => void;

/** Watches each connection that the pool makes, and raises an alarm when the database refuses it for what the settings say. */
export function watchConnecting(pool: Pool, log: Log): void {
  let alarmedAt = -Infinity;
  const note = (error: unknown): void => {
    if (error === undefined || error === null) return void misconfigured.delete(pool);
    if (!isMisconfiguration(error)) return;
    const sqlstate = sqlStateOf(error) ?? '';
    misconfigured.set(pool, sqlstate);
    if (performance.now() - alarmedAt < ALARM_EVERY_MS) return;
    alarmedAt = performance.now();
    log.error(
      { sqlstate, pool: pool.options.application_name },
      'the database refuses the settings of this process: check user, password and database name in DATABASE_URL, and the rights of the user',
    );
  };
  const connect = pool.connect.bind(pool) as (() => Promise<PoolClient>) & ((told: Connected) => void);
  const watched = (told?: Connected): Promise<PoolClient> | void => {
    if (told === undefined) {
      return connect().then(
        (client) => {
          note(undefined);
          return client;
        },
        (error: unknown) => {
          note(error);
          throw error;
        },
      );
    }
    connect((error, client, done) => {
      note(error);
      told(error, client, done);
    });
  };
  pool.connect = watched as Pool['connect'];
}
