import type { DatabaseState } from './connection-watch.ts';
import { run, type Queryable, type PreparedQuery } from './prepared-query.ts';
import { isMisconfiguration } from './faults.ts';

const READY: PreparedQuery = { name: 'ready', text: 'select 1' };

/** Asks the database for the least there is. */
export async function databaseState(database: Queryable): Promise<DatabaseState> {
  try {
    await run(database, READY, []);
    return 'ok';
  } catch (error) {
    return isMisconfiguration(error) ? 'misconfigured' : 'away';
  }
}
