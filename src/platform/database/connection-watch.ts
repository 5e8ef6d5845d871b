import type { Pool, PoolClient } from 'pg';
import type { Log } from '../log.ts';
import type { DatabaseLogin } from './database-login.ts';
import { isMisconfiguration, sqlStateOf } from './faults.ts';

/** State of the database for a pool; `misconfigured`: it rejects the pool, and an operator has to correct a setting. */
export type DatabaseState = 'ok' | 'away' | 'misconfigured' | 'not_writable';

/** Interval at which an alarm that persists is logged again. */
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
  const watched = (told?: Connected): Promise<PoolClient> | void => {
    if (told === undefined) return connectNow(1);
    connect((error, client, done) => {
      if (client !== undefined && !login.isOutdated(client)) {
        note(undefined);
        return told(error, client, done);
      }
      // Neither is set for a caller that waited too long for a connection of the pool.
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

/** Remembers how the pool last connected, and logs a failed connection: as an error where people have to correct a setting. */
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

/** Fields of a log line for a failed connection. The messages of the server and the driver name role and database, but no data. */
export function connectionFault(error: unknown, host: string | undefined): Record<string, string | undefined> {
  const { code, message } = error as { code?: string; message?: string };
  const sqlstate = sqlStateOf(error);
  return { ...(sqlstate === undefined ? { code } : { sqlstate }), message, host };
}
