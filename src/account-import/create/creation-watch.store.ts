import { run, type Queryable, type PreparedQuery } from '../../platform/database/prepared-query.ts';

// Every account takes a number, whichever process creates it, and looking at the sequence costs nothing.
const LAST_NUMBER: PreparedQuery = {
  name: 'account-last-number',
  text: 'select last_value::text as number from account_number_sequence',
};

/**
 * Makes a function that returns whether any process created accounts since its last call; the first call returns false. Dry runs
 * count too, because a request waits for them.
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
