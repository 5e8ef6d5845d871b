import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { kyselyOf, type Queryable } from '../database/prepared-query.ts';
import type { DatabaseMark, NumberRange, Reservation } from './decide-reservation.ts';
import type { NumberMarkTable } from './number-mark.entity.ts';

/**
 * Reads the state of the numbers in the database.
 * @param isLocked locks it until the transaction ends, to serialize reservations
 */
export async function readNumberMark(on: Queryable, isLocked = false): Promise<DatabaseMark> {
  const mark = await kyselyOf<NumberMarkTable>(on)
    .selectFrom('number_mark')
    .select(['account_from', 'account_until', 'business_from', 'business_until'])
    .select([
      sql<string>`(select last_value from account_number_sequence)`.as('account_last'),
      sql<string>`(select last_value from business_id_sequence)`.as('business_last'),
      sql<boolean | null>`incarnation = database_incarnation()`.as('holds'),
      sql<number>`greatest(split_part(database_incarnation(), '/', 5)::integer - nullif(split_part(incarnation, '/', 5), '')::integer, 0)`.as(
        'promotions',
      ),
      sql<number>`extract(epoch from clock_timestamp())::float8`.as('nowSeconds'),
    ])
    .$if(isLocked, (select) => select.forUpdate())
    .executeTakeFirstOrThrow();
  return {
    account: rangeOf(mark.account_from, mark.account_until, mark.account_last),
    business: rangeOf(mark.business_from, mark.business_until, mark.business_last),
    holds: mark.holds ?? undefined,
    promotions: mark.promotions,
    nowSeconds: mark.nowSeconds,
  };
}

function rangeOf(from: string, until: string, last: string): NumberRange {
  return { from: Number(from), until: Number(until), last: Number(last) };
}

/** Allows numbers of these ranges. Transactions that took a number before a leap fail at the bound. */
export async function writeNumberMark(em: EntityManager, account: Reservation, business: Reservation): Promise<void> {
  await kyselyOf<NumberMarkTable>(em)
    .updateTable('number_mark')
    .set({
      account_from: String(account.from),
      account_until: String(account.until),
      business_from: String(business.from),
      business_until: String(business.until),
      incarnation: sql<string>`database_incarnation()`,
      reserved_at: sql<Date>`now()`,
    })
    .$if(account.leap, (update) =>
      update.returning(sql`setval('account_number_sequence', account_from + 1, false)`.as('a')),
    )
    .$if(business.leap, (update) =>
      update.returning(sql`setval('business_id_sequence', business_from + 1, false)`.as('b')),
    )
    .execute();
}
