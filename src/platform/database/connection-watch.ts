import type { Pool, PoolClient } from 'pg';
import type { Log } from '../log.ts';
import type { DatabaseLogin } from './database-login.ts';
import { isMisconfiguration, sqlStateOf } from './faults.ts';

/** State of the database for a pool. `misconfigured`: it rejects the pool until an operator corrects a setting. */
export type DatabaseState = 'ok' | 'away' | 'misconfigured' | 'not_writable';

/** Interval at which a persisting problem is logged again. */
const ALARM_EVERY_MS = 60_000;

const misconfigured = new WeakMap<Pool, string>();

/** SQLSTATE with which the database rejected the pool's last connection because of its settings; otherwise undefined. */
export function misconfigurationOf(pool: Pool): string | undefined {
  return misconfigured.get(pool);
}

type Connected = (error: Error | undefined, client?: PoolClient, done?: (release?: unknown) => void) => void;

/** Maximum number of attempts to connect, since the address may change. */
const TRIES_MAX = 3;

/**
 * Watches the connections that the pool opens and hands out: closes those of a replaced address, retries a rejected one with another
 * address if there is one, and logs an alarm if the database rejects the settings.
 */
export function watchConnecting(pool: Pool, login: DatabaseLogin, log: Log): void {
  const connect = pool.connect.bind(pool) as () => Promise<PoolClient>;
  const note = alarm(pool, login, log);
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
  const watched = (callback?: Connected): Promise<PoolClient> | void => {
    const connecting = connectNow(1);
    if (callback === undefined) return connecting;
    connecting.then(
      (client) => callback(undefined, client, (release) => client.release(release as boolean | undefined)),
      (error: Error) => callback(error, undefined, () => {}),
    );
  };
  pool.connect = watched as Pool['connect'];
}

/** Stores whether the pool is misconfigured, and logs failed connections: as an error if an operator has to correct a setting. */
function alarm(pool: Pool, login: DatabaseLogin, log: Log): (error: unknown) => void {
  let alarmedAt = -Infinity;
  return (error) => {
    if (error === undefined || error === null) return void misconfigured.delete(pool);
    const isMisconfigured = isMisconfiguration(error);
    if (isMisconfigured) misconfigured.set(pool, sqlStateOf(error) ?? '');
    const host = login.hostOf(error);
    if (!isMisconfigured && host === undefined) return;
    if (performance.now() - alarmedAt < ALARM_EVERY_MS) return;
    alarmedAt = performance.now();
    const fault = { ...connectionFault(error, host), pool: pool.options.application_name };
    if (isMisconfigured) {
      log.error(
        fault,
        'the database refuses the settings of this process: check user, password and database name in DATABASE_URL, the rights of the user, and the pooler, if there is one',
      );
    } else log.warn(fault, 'the connection to the database failed');
  };
}

/** Log fields of a failed connection. Messages of server and driver contain role and database names, but no data. */
export function connectionFault(error: unknown, host: string | undefined): Record<string, string | undefined> {
  const { code, message } = error as { code?: string; message?: string };
  const sqlstate = sqlStateOf(error);
  return { ...(sqlstate === undefined ? { code } : { sqlstate }), message, host };
}
