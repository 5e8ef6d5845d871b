import type { Pool, PoolClient } from 'pg';
import type { Log } from '../log.ts';
import type { DatabaseLogin } from './database-login.ts';
import { isMisconfiguration, sqlStateOf } from './faults.ts';

/** How a pool stands with its database: `misconfigured`: it is refused, and people have to mend a setting. */
export type DatabaseState = 'ok' | 'away' | 'misconfigured' | 'not_writable';

/** The alarm is repeated no more often while it goes on. */
const ALARM_EVERY_MS = 60_000;

const misconfigured = new WeakMap<Pool, string>();

/** The SQLSTATE by which the database refused the pool's last connection for its settings; undefined when it did not. */
export function misconfigurationOf(pool: Pool): string | undefined {
  return misconfigured.get(pool);
}

type Connected = (error: Error | undefined, client?: PoolClient, done?: (release?: unknown) => void) => void;

/** The former address and the new one. */
const TRIES_MAX = 3;

/**
 * Watches each connection that the pool makes and hands out: one by an address that has been replaced is closed, a refused
 * one is tried by another address if there is one, and an alarm is raised when the database refuses what the settings say.
 */
export function watchConnecting(pool: Pool, login: DatabaseLogin, log: Log): void {
  const connect = pool.connect.bind(pool) as (() => Promise<PoolClient>) & ((told: Connected) => void);
  const note = alarm(pool, log);
  const connectNow = (tries: number): Promise<PoolClient> =>
    connect().then(
      (client) => {
        if (!login.isOutdated(client)) {
          note(undefined);
          return client;
        }
        client.release(true);
        return connectNow(tries);
      },
      async (error: unknown) => {
        if (tries < TRIES_MAX && (await login.hasAnotherFor(error))) return connectNow(tries + 1);
        note(error);
        throw error;
      },
    );
  const watched = (told?: Connected): Promise<PoolClient> | void => {
    if (told === undefined) return connectNow(1);
    connect((error, client, done) => {
      if (client !== undefined && !login.isOutdated(client)) {
        note(undefined);
        return told(error, client, done);
      }
      // Who has waited too long for one of the pool's connections is told with neither.
      if (client !== undefined) done?.(true);
      const again = async () => {
        if (error && !(await login.hasAnotherFor(error))) throw error;
        return connectNow(error ? 2 : 1);
      };
      again().then(
        (other) => told(undefined, other, (release) => other.release(release as boolean | undefined)),
        (fault: Error) => {
          note(fault);
          told(fault, undefined, () => {});
        },
      );
    });
  };
  pool.connect = watched as Pool['connect'];
}

/** Remembers how the pool last connected, and raises an alarm for what people have to mend. */
function alarm(pool: Pool, log: Log): (error: unknown) => void {
  let alarmedAt = -Infinity;
  return (error) => {
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
}
