import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { AccountSupplyPointTable, AccountTable } from '../accounts/index.ts';
import { kyselyOf } from '../platform/database/prepared-query.ts';
import { signalWork } from '../platform/work-items/work-item.store.ts';
import { hasNotEndedSql, isHeldSql } from './supply-point-claim.store.ts';
import { lockAccountsByNumber } from './switch-account.store.ts';
import { lockItems } from './switch-page.store.ts';
import { switchWorkItem } from './switch-step.store.ts';

/** Of several accounts that wait for a point, the one that was held first is released. */
const IS_UNCLAIMED = sql<boolean>`(
  select true from account_supply_point o
  where o.supply_point_id = s.supply_point_id and o.account_id <> s.account_id and ${sql.raw(hasNotEndedSql)}
    and (o.held_since is null or o.released_at is not null or (o.held_since, o.account_id) < (s.held_since, s.account_id)) limit 1) is null`;
const IS_HELD = sql<boolean>`${sql.raw(isHeldSql)}`;

/** The numbers of the accounts that wait for a decision about points. */
export async function findHeldOn(em: EntityManager, supplyPointIds: readonly string[]): Promise<string[]> {
  const held = await kyselyOf<AccountSupplyPointTable & AccountTable>(em)
    .selectFrom(({ selectFrom }) =>
      // `offset 0` makes the planner find the points first; by the index of held points it would read all of them.
      selectFrom('account_supply_point').selectAll().where('supply_point_id', 'in', supplyPointIds).offset(0).as('s'),
    )
    .innerJoin('account as a', 'a.id', 's.account_id')
    .select('a.number')
    .distinct()
    .where(IS_HELD)
    .execute();
  return held.map(({ number }) => number);
}

/** Finds these accounts, and locks them with their work items in the order of pages. */
export async function lockHeldOn(em: EntityManager, supplyPointIds: readonly string[]): Promise<string[]> {
  const numbers = await findHeldOn(em, supplyPointIds);
  if (numbers.length === 0) return [];
  await lockItems(em, numbers);
  return (await lockAccountsByNumber(em, numbers)).map(({ number }) => number);
}

/**
 * Releases points that were held only because of accounts that no longer exist, so that their switches continue.
 * @param supplyPointIds locked, so that no creation adds an account with them
 * @param numbers the accounts that `lockHeldOn` has locked
 */
export async function releaseUnclaimed(
  em: EntityManager,
  supplyPointIds: readonly string[],
  numbers: readonly string[],
): Promise<void> {
  if (numbers.length === 0) return;
  const released = await kyselyOf<AccountSupplyPointTable & AccountTable>(em)
    .updateTable('account_supply_point as s')
    .from('account as a')
    .set({ held_since: null })
    .whereRef('a.id', '=', 's.account_id')
    .where('a.number', 'in', numbers)
    .where('s.supply_point_id', 'in', supplyPointIds)
    .where(IS_HELD)
    .where(IS_UNCLAIMED)
    .returning([
      'a.number',
      'a.import_supplier as importSupplier',
      'a.external_account_number as externalAccountNumber',
    ])
    .execute();
  const works = new Map(
    released.map((one) => [one.number, switchWorkItem(one.number, one.importSupplier, one.externalAccountNumber)]),
  );
  // The dispatcher wakes the pages.
  await signalWork(em, [...works.values()], 0);
}
