import { run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';

/** Events that get their positions in one transaction, which lasts about 30 ms then. */
const AT_ONCE = 2_000;

const SEQUENCE: PreparedQuery = { name: 'events-sequence', text: 'select sequence_events($1) as moved' };

/**
 * Gives events their positions, in transactions of their own, until none waits or another process is at it.
 * @param rounds longest that it goes on
 */
export async function sequenceEvents(database: Queryable, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const [row] = await run<{ moved: number }>(database, SEQUENCE, [AT_ONCE]);
    if (row === undefined || row.moved < AT_ONCE) return;
  }
}
