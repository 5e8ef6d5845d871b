import type { DatabaseState } from './connection-watch.ts';
import { run, type Queryable, type PreparedQuery } from './prepared-query.ts';
import { isMisconfiguration, sqlStateOf } from './faults.ts';

const READY: PreparedQuery = { name: 'ready', text: 'select can_write() as "canWrite"' };

/** Disk full; temporary files limited by a setting. */
const NOT_WRITABLE_STATES = new Set(['53100', '53400']);

/** Whether the database answers and can store data. */
export async function databaseState(database: Queryable): Promise<DatabaseState> {
  try {
    const [row] = await run<{ canWrite: boolean }>(database, READY, []);
    return row?.canWrite ? 'ok' : 'not_writable';
  } catch (error) {
    if (NOT_WRITABLE_STATES.has(sqlStateOf(error) ?? '')) return 'not_writable';
    return isMisconfiguration(error) ? 'misconfigured' : 'away';
  }
}
