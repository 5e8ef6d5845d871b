import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { AccountSupplyPointTable } from '../accounts/index.ts';
import type { Database } from '../platform/database/database.ts';
import { unmatchedKinds } from './market-message.schema.ts';
import { run, type Queryable, type PreparedQuery } from '../platform/database/prepared-query.ts';

/**
 * SQL: row `o` of account_supply_point is still in force, seen from row `s` of another account with the same point. It has ended if its
 * switch was rejected, or if all its agreements end by the start of supply of `s` (docs/operators/when-something-waits.md#claims). A scalar
 * subquery, because the planner may turn `exists` into a join with the whole table; use it inside a scalar subquery too.
 */
export const hasNotEndedSql = `o.switch_status <> 'REJECTED' and coalesce((
  select max(coalesce(g.effective_to, 'infinity')) > s.supply_start_date from agreement g where g.account_id = o.account_id and g.point_position = o.position), true)`;

/** SQL: the switch of row `s` is held until an operator decides. Must equal the condition of the index account_supply_point_held. */
const isHeldSql = "s.held_since is not null and s.released_at is null and s.switch_status = 'PENDING'";

/** Releases held points, so that their switch continues. */
export async function releasePoints(em: EntityManager, accountId: string, positions: readonly number[]): Promise<void> {
  await em
    .getKysely<AccountSupplyPointTable>()
    .updateTable('account_supply_point')
    .set({ released_at: sql<Date>`clock_timestamp()` })
    .where('account_id', '=', accountId)
    .where('position', '=', sql<number>`any(${positions}::integer[])`)
    .where('held_since', 'is not', null)
    .where('released_at', 'is', null)
    .execute();
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

const held = (name: string, points: string): PreparedQuery => ({
  name,
  text: `
    select a.number as "accountNumber", a.import_supplier as "importSupplier", a.external_account_number as "externalAccountNumber", min(m.identifier) as identifier, count(*)::integer as count, min(h.held_since) as since
    from (${points}) h join account a on a.id = h.account_id join supply_point m on m.id = h.supply_point_id
    group by a.id order by since limit $1`,
});
const COLUMNS = 's.account_id, s.supply_point_id, s.held_since';
const HELD = held(
  'supply-point-claim-held',
  `select ${COLUMNS} from account_supply_point s where ${isHeldSql} order by s.held_since limit ${HELD_POINTS_READ_MAX}`,
);
const HELD_OF_ACCOUNT = held(
  'supply-point-claim-held-of-account',
  `
  select ${COLUMNS} from account a join account_supply_point s on s.account_id = a.id
  where (a.external_account_number = $2 or a.import_supplier || '/' || a.external_account_number = $2) and ${isHeldSql} limit ${HELD_POINTS_READ_MAX}`,
);

/** If accounts are locked, the read fails after this short wait, and lists omit this part. */
const SHORT_WAIT: PreparedQuery = {
  name: 'supply-point-claim-short-wait',
  text: "select set_config('lock_timeout', '500ms', true)",
};

/**
 * Lists accounts with held points, oldest first.
 * @param account an external account number, or `<supplier>/<number>`; undefined for all accounts
 * @throws if the tables are locked for more than half a second
 */
export async function findHeldPoints(database: Database, limit: number, account?: string): Promise<HeldPoints[]> {
  type Row = HeldPoints & Record<string, unknown>;
  return database.transaction(async (em) => {
    await run(em, SHORT_WAIT, []);
    return account === undefined ? run<Row>(em, HELD, [limit]) : run<Row>(em, HELD_OF_ACCOUNT, [limit, account]);
  });
}

const COUNT_DECISIONS: PreparedQuery = {
  name: 'switching-count-decisions',
  text: `
    select 'supply_point_on_another_account' as cause, count(distinct s.account_id)::integer as count, min(s.held_since) as oldest
    from account_supply_point s where ${isHeldSql} having count(*) > 0
    union all
    ${unmatchedKinds
      .map(
        (kind) =>
          `select 'market_message_${kind.replace('-', '_')}', count(*)::integer, min(received_at) from market_message where effect = '${kind}' having count(*) > 0`,
      )
      .join(' union all ')}`,
};

/** Counts pending decisions of operators: accounts with held points, and unmatched messages. */
export async function countDecisions(database: Queryable): Promise<{ cause: string; count: number; oldest: Date }[]> {
  return run<{ cause: string; count: number; oldest: Date }>(database, COUNT_DECISIONS, []);
}

const HAS_HELD: PreparedQuery = {
  name: 'supply-point-claim-has-held',
  text: `select 1 from account a join account_supply_point s on s.account_id = a.id where a.number = $1 and ${isHeldSql} limit 1`,
};

/** Whether an account has held points. */
export async function hasHeldPoints(database: Queryable, accountNumber: string): Promise<boolean> {
  return (await run(database, HAS_HELD, [accountNumber])).length > 0;
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
