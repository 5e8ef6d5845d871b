import { sql } from 'kysely';
import { kyselyOf, type Queryable } from './prepared-query.ts';

/**
 * Makes the missing partitions of this and the next two months, and empties the default partitions.
 * @returns the number of partitions that could not be made, because the table was in use
 */
export async function makeMonthPartitions(on: Queryable): Promise<number> {
  const { failed } = await kyselyOf<object>(on)
    .selectNoFrom(sql<number>`make_month_partitions()`.as('failed'))
    .executeTakeFirstOrThrow();
  return failed;
}

/** Finds the tables with rows in their default partition. */
export async function findTablesWithoutMonth(on: Queryable): Promise<string[]> {
  const rows = await kyselyOf<object>(on)
    .selectNoFrom(sql<string>`tables_without_month()`.as('name'))
    .execute();
  return rows.map(({ name }) => name);
}
