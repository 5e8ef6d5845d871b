import type { EntityManager } from '@mikro-orm/postgresql';
import { type NotNull, sql } from 'kysely';
import { writeEventsSql } from '../events/index.ts';
import { kyselyOf, run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';
import type { WithdrawalTables, WithdrawnTables } from './withdrawal.entity.ts';

/** The expression of the index import_process_contract_label. */
const LABEL = `((p.payload -> 'business' ->> 'business_contract_identifier') collate "C")`;

/**
 * SQL: whether an account has the contract `c`, or a staged account names it. Accounts of the withdrawal itself, which are staged again, do
 * not count.
 * @param withdrawal parameter with the id of the withdrawal; null before it starts
 */
const isNamedByStaged = (withdrawal: string) => `
  (select true from import_process p
    where p.import_supplier = c.import_supplier and p.imported_at is null and ${LABEL} <> '' and ${LABEL} = c.identifier
      and (select true from withdrawn_account w where w.import_supplier = p.import_supplier
        and w.external_account_number = p.external_account_number and w.withdrawal_id = ${withdrawal}::uuid limit 1) is null
    limit 1)`;

const DECIDE: PreparedQuery = {
  name: 'withdrawal-decide-businesses',
  text: `
    with contract as materialized (
      select c.* from unnest($2::uuid[]) as n (id)
        cross join lateral (select * from business_contract where business_contract.business_id = n.id offset 0) c),
    in_use as materialized (
      select distinct c.business_id from contract c
      where (select true from account a where a.business_contract_id = c.id limit 1) or ${isNamedByStaged('$1')}),
    decided as (
      update withdrawal_business w
      set outcome = case when w.business_id in (select business_id from in_use) then 'in_use' when $3 then 'withdrawn' else 'not_requested' end
      where w.withdrawal_id = $1 and w.business_id = any($2::uuid[]) and w.outcome is null
      returning w.business_id, w.external_business_identifier, w.outcome),
    gone as materialized (select business_id, external_business_identifier from decided where outcome = 'withdrawn'),
    gone_contract as materialized (select c.id from contract c where c.business_id in (select business_id from gone)),
    notified as (${writeEventsSql(`
      select b.import_supplier, null, 'import.business.withdrawn.v1', 'businesses/' || b.external_business_identifier,
        jsonb_build_object('external_business_identifier', b.external_business_identifier, 'service_business_id', b.service_business_id, 'withdrawal_id', $1::text)
      from gone g cross join lateral (select * from business where business.id = g.business_id offset 0) b order by b.external_business_identifier`)}),
    contract_term_gone as (delete from contract_term where business_contract_id in (select id from gone_contract) returning 1),
    contract_version_gone as (delete from contract_version where business_contract_id in (select id from gone_contract) returning 1),
    business_contract_gone as (delete from business_contract where id in (select id from gone_contract) returning 1),
    business_detail_gone as (delete from business_detail where business_id in (select business_id from gone) returning 1),
    business_gone as (delete from business where id in (select business_id from gone) returning 1)
    select jsonb_build_object(${[
      'business',
      'business_detail',
      'business_contract',
      'contract_version',
      'contract_term',
    ]
      .map((table) => `'${table}', (select count(*) from ${table}_gone)`)
      .join(', ')}) as "deletedRows"`,
};

/**
 * Decides about the next businesses whose contracts the withdrawn accounts had, after all accounts are withdrawn: deletes those that no
 * other account uses, if this was requested.
 * @param em of a transaction that locks no account
 * @returns the number of decided businesses, and of deleted rows by table
 */
export async function withdrawBusinesses(
  em: EntityManager,
  { id, withdrawsBusinesses }: { id: string; withdrawsBusinesses: boolean },
  size: number,
): Promise<{ decided: number; deletedRows: Record<string, number> }> {
  const undecided = await kyselyOf<WithdrawalTables>(em)
    .selectFrom('withdrawal_business')
    .select('business_id')
    .where('withdrawal_id', '=', id)
    .where('outcome', 'is', null)
    .orderBy('external_business_identifier')
    .limit(size)
    .execute();
  const ids = undecided.map((business) => business.business_id);
  if (ids.length === 0) return { decided: 0, deletedRows: {} };
  if (withdrawsBusinesses) {
    // In the order of requests that add contracts: the business first, then its contracts, which creations lock.
    const tables = kyselyOf<WithdrawnTables>(em);
    await tables.selectFrom('business').select('id').where('id', '=', anyOf(ids)).orderBy('id').forUpdate().execute();
    const contracts = tables.selectFrom('business_contract').select('id').where('business_id', '=', anyOf(ids));
    await contracts.orderBy('import_supplier').orderBy('identifier').forUpdate().execute();
  }
  // A separate statement after the locks, so that it sees the commits of earlier lock holders.
  const [row] = await run<{ deletedRows: Record<string, number> }>(em, DECIDE, [id, ids, withdrawsBusinesses]);
  return { decided: ids.length, deletedRows: row!.deletedRows };
}

/** Counts accounts by the business whose contract they have. */
export function findBusinessesOf(
  on: Queryable,
  accountIds: readonly string[],
): Promise<{ id: string; accounts: number }[]> {
  return kyselyOf<WithdrawnTables>(on)
    .selectFrom('account as a')
    .innerJoinLateral(
      // Without `offset 0` a plan that was made on an empty table would read all contracts.
      ({ selectFrom }) =>
        selectFrom('business_contract')
          .select('business_id as id')
          .whereRef('business_contract.id', '=', 'a.business_contract_id')
          .offset(0)
          .as('c'),
      (on) => on.onTrue(),
    )
    .select(['c.id', sql<number>`count(*)::integer`.as('accounts')])
    .where('a.id', '=', anyOf(accountIds))
    .groupBy('c.id')
    .execute();
}

const anyOf = (ids: readonly string[]) => sql<string>`any(${ids})`;

const COUNT_UNUSED: PreparedQuery = {
  name: 'withdrawal-count-unused-businesses',
  text: `
    select count(*)::integer as businesses from unnest($1::uuid[], $2::integer[]) as n (id, accounts)
    where (select count(*) from (
        select 1 from business_contract c cross join lateral (select from account a where a.business_contract_id = c.id limit n.accounts + 1) a
        where c.business_id = n.id limit n.accounts + 1) used) = n.accounts
      and (select true from business_contract c where c.business_id = n.id and ${isNamedByStaged('null')} limit 1) is null`,
};

/** Businesses per statement. */
const COUNTED_AT_ONCE = 500;

/** Counts the businesses that only these accounts use. @param accountsOf number of accounts by id of the business */
export async function countUnusedWithout(on: Queryable, accountsOf: ReadonlyMap<string, number>): Promise<number> {
  const all = [...accountsOf];
  let unused = 0;
  for (let from = 0; from < all.length; from += COUNTED_AT_ONCE) {
    const some = all.slice(from, from + COUNTED_AT_ONCE);
    const [row] = await run<{ businesses: number }>(on, COUNT_UNUSED, [
      some.map(([id]) => id),
      some.map(([, accounts]) => accounts),
    ]);
    unused += row!.businesses;
  }
  return unused;
}

/** Counts the businesses of a withdrawal by outcome, with the first ones. */
export function countBusinessOutcomes(on: Queryable, withdrawalId: string, examplesMax: number) {
  const examples = sql<
    string[]
  >`(array_agg(external_business_identifier order by external_business_identifier))[1:${examplesMax}]`;
  return kyselyOf<WithdrawalTables>(on)
    .selectFrom('withdrawal_business')
    .select(['outcome', sql<number>`count(*)::integer`.as('businesses'), examples.as('examples')])
    .where('withdrawal_id', '=', withdrawalId)
    .where('outcome', 'is not', null)
    .$narrowType<{ outcome: NotNull }>()
    .groupBy('outcome')
    .orderBy('outcome', 'desc')
    .execute();
}
