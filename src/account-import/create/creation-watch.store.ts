import { run, type Queryable, type PreparedQuery } from '../../platform/database/prepared-query.ts';

// Every account takes a number, whichever process creates it, and reading the sequence is cheap.
const LAST_NUMBER: PreparedQuery = {
  name: 'account-last-number',
  text: 'select last_value::text as number from account_number_sequence',
};

/**
 * Returns a function that reports whether any process created accounts since its last call; the first call returns false. Dry runs do not
 * count: they take no number.
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
