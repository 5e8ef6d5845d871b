import { raw, type EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { AccountSupplyPoint, type AccountSupplyPointTable, type AccountTable } from '../accounts/index.ts';
import type { Database } from '../platform/database/database.ts';
import { unmatchedKinds } from './market-message.schema.ts';
import { kyselyOf, run, type Queryable, type PreparedQuery } from '../platform/database/prepared-query.ts';
import type { SupplyPointTable } from '../supply-points/index.ts';
import type { MarketMessageTable } from './switch.entity.ts';

/**
 * SQL: row `o` of account_supply_point is still in force, seen from row `s` of another account with the same point. It has ended if its
 * switch was rejected, or if all its agreements end by the start of supply of `s` (docs/operators/when-something-waits.md#claims). A scalar
 * subquery, because the planner may turn `exists` into a join with the whole table; use it inside a scalar subquery too.
 */
export const hasNotEndedSql = `o.switch_status <> 'REJECTED' and coalesce((
  select max(coalesce(g.effective_to, 'infinity')) > s.supply_start_date from agreement g where g.account_id = o.account_id and g.point_position = o.position), true)`;

/** SQL: the switch of row `s` is held until an operator decides. Must equal the condition of the index account_supply_point_held. */
export const isHeldSql = "s.held_since is not null and s.released_at is null and s.switch_status = 'PENDING'";

/** Held points, by the index account_supply_point_held. */
function heldPoints(on: Queryable) {
  return kyselyOf<AccountSupplyPointTable & AccountTable & SupplyPointTable>(on)
    .selectFrom('account_supply_point as s')
    .where('s.held_since', 'is not', null)
    .where('s.released_at', 'is', null)
    .where('s.switch_status', '=', sql.lit('PENDING'));
}

/** Releases held points, so that their switch continues. */
export async function releasePoints(em: EntityManager, accountId: string, positions: readonly number[]): Promise<void> {
  await em.nativeUpdate(
    AccountSupplyPoint,
    { accountId, position: { $in: [...positions] }, heldSince: { $ne: null }, releasedAt: null },
    { releasedAt: raw('clock_timestamp()') },
  );
}

/** An account with points that wait for an operator, because another account also has them. */
export interface HeldPoints {
  accountNumber: string;
  importSupplier: string;
  externalAccountNumber: string;
  /** One of the points. */
  identifier: string;
  count: number;
  since: Date;
}

/** Most points read for one list. */
const HELD_POINTS_READ_MAX = 10_000;

/**
 * Lists accounts with held points, oldest first.
 * @param account an external account number, or `<supplier>/<number>`; undefined for all accounts
 * @throws if the tables are locked for more than half a second; lists then omit this part
 */
export async function findHeldPoints(database: Database, limit: number, account?: string): Promise<HeldPoints[]> {
  return database.transaction(async (em) => {
    await em.execute("set local lock_timeout = '500ms'");
    const held = heldPoints(em)
      .select(['s.account_id', 's.supply_point_id', 's.held_since'])
      .$if(account === undefined, (points) => points.orderBy('s.held_since'))
      .$if(account !== undefined, (points) =>
        points
          .innerJoin('account as o', 'o.id', 's.account_id')
          .where(
            sql<boolean>`(o.external_account_number = ${account} or o.import_supplier || '/' || o.external_account_number = ${account})`,
          ),
      )
      .limit(HELD_POINTS_READ_MAX);
    return kyselyOf<AccountTable & SupplyPointTable>(em)
      .selectFrom(held.as('h'))
      .innerJoin('account as a', 'a.id', 'h.account_id')
      .innerJoin('supply_point as m', 'm.id', 'h.supply_point_id')
      .select(({ fn }) => [
        'a.number as accountNumber',
        'a.import_supplier as importSupplier',
        'a.external_account_number as externalAccountNumber',
        fn.min('m.identifier').as('identifier'),
        sql<number>`count(*)::integer`.as('count'),
        sql<Date>`min(h.held_since)`.as('since'),
      ])
      .groupBy('a.id')
      .orderBy('since')
      .limit(limit)
      .execute();
  });
}

/** Counts pending decisions of operators: accounts with held points, and unmatched messages. */
export async function countDecisions(on: Queryable): Promise<{ cause: string; count: number; oldest: Date }[]> {
  const messages = kyselyOf<MarketMessageTable>(on);
  return heldPoints(on)
    .select([
      sql<string>`'supply_point_on_another_account'`.as('cause'),
      sql<number>`count(distinct s.account_id)::integer`.as('count'),
      sql<Date>`min(s.held_since)`.as('oldest'),
    ])
    .having(sql`count(*)`, '>', 0)
    .unionAll(
      messages
        .selectFrom('market_message')
        .select([
          sql<string>`'market_message_' || replace(effect, '-', '_')`.as('cause'),
          sql<number>`count(*)::integer`.as('count'),
          sql<Date>`min(received_at)`.as('oldest'),
        ])
        .where(
          'effect',
          'in',
          unmatchedKinds.map((kind) => sql.lit(kind)),
        )
        .groupBy('effect'),
    )
    .execute();
}

/** Whether an account has held points. */
export async function hasHeldPoints(on: Queryable, accountNumber: string): Promise<boolean> {
  const held = heldPoints(on).innerJoin('account as a', 'a.id', 's.account_id').where('a.number', '=', accountNumber);
  return (await held.select('s.position').limit(1).executeTakeFirst()) !== undefined;
}

interface AccountOfClaim {
  importSupplier: string;
  externalAccountNumber: string;
}

/** A held point of one account, with another account that has the point too. */
export interface Claim {
  identifier: string;
  since: Date;
  /** The account whose switch is held. */
  held: AccountOfClaim;
  /** Null when the point has ended on every other account since it was held. */
  other: AccountOfClaim | null;
}

const CLAIMS_READ_MAX = 100;
const ACCOUNTS_NAMED_MAX = 5;
const accountSql = (row: string) =>
  `jsonb_build_object('importSupplier', ${row}.import_supplier, 'externalAccountNumber', ${row}.external_account_number)`;

const CLAIMS: PreparedQuery = {
  name: 'supply-point-claims-of-account',
  text: `
    with me as (select id from account where import_supplier = $1 and external_account_number = $2),
      mine as (select p.account_id, p.supply_point_id from account_supply_point p where p.account_id = (select id from me) order by p.position limit ${CLAIMS_READ_MAX * 10})
    (select m.identifier, s.held_since as since, ${accountSql('a')} as held, case when b.id is not null then ${accountSql('b')} end as other
      from account_supply_point s join account a on a.id = s.account_id join supply_point m on m.id = s.supply_point_id
      left join lateral (select o.account_id from account_supply_point o where o.supply_point_id = s.supply_point_id and o.account_id <> s.account_id and ${hasNotEndedSql} limit ${ACCOUNTS_NAMED_MAX}) o on true
      left join account b on b.id = o.account_id
      where s.account_id = (select id from me) and ${isHeldSql} limit ${CLAIMS_READ_MAX})
    union all
    (select m.identifier, s.held_since, ${accountSql('a')}, ${accountSql('b')}
      from mine o join account b on b.id = o.account_id
      cross join lateral (select * from account_supply_point s where s.supply_point_id = o.supply_point_id and s.account_id <> o.account_id and ${isHeldSql} limit ${ACCOUNTS_NAMED_MAX}) s
      join account a on a.id = s.account_id join supply_point m on m.id = s.supply_point_id limit ${CLAIMS_READ_MAX})
    order by since, identifier`,
};

/** Lists the claims of an account: its own held points, and points of other accounts that are held because of it. */
export async function findClaims(
  database: Queryable,
  importSupplier: string,
  externalAccountNumber: string,
): Promise<Claim[]> {
  return run<Claim & Record<string, unknown>>(database, CLAIMS, [importSupplier, externalAccountNumber]);
}
