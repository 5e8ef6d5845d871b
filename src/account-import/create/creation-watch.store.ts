import { kyselyOf, type Queryable } from '../../platform/database/prepared-query.ts';

/**
 * Returns a function that reports whether any process created accounts since its last call; the first call returns false. Every account
 * takes a number from the sequence, whichever process creates it. Dry runs do not count: they take none.
 */
export function watchCreations(database: Queryable): () => Promise<boolean> {
  let seen: string | undefined;
  return async () => {
    const previous = seen;
    const sequence = kyselyOf<{ account_number_sequence: { last_value: string } }>(database);
    seen = (await sequence.selectFrom('account_number_sequence').select('last_value').executeTakeFirst())?.last_value;
    return previous !== undefined && seen !== previous;
  };
}
