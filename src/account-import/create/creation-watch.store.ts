import { run, type Queryable, type PreparedQuery } from '../../platform/database/prepared-query.ts';

// Every account takes a number, whichever process creates it, and looking at the sequence costs nothing.
const LAST_NUMBER: PreparedQuery = {
  name: 'account-last-number',
  text: 'select last_value::text as number from account_number_sequence',
};

/**
 * Makes a function that tells whether accounts were created, by any process, since it was asked before. The first time it
 * says no. A dry run takes a number too: somebody waits for that as well.
 */
export function watchCreations(database: Queryable): () => Promise<boolean> {
  let seen: string | undefined;
  return async () => {
    const [row] = await run<{ number: string }>(database, LAST_NUMBER, []);
    const hasMoved = seen !== undefined && row?.number !== seen;
    seen = row?.number;
    return hasMoved;
  };
}
