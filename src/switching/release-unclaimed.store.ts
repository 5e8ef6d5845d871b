import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type PreparedQuery } from '../platform/database/prepared-query.ts';
import { signalWork } from '../platform/work-items/work-item.store.ts';
import { hasNotEndedSql, isHeldSql } from './supply-point-claim.store.ts';
import { lockAccountsByNumber } from './switch-account.store.ts';
import { lockItems } from './switch-page.store.ts';
import { switchWorkItem } from './switch-step.store.ts';

const HELD: PreparedQuery = {
  name: 'switch-held-on-points',
  text: `
    select distinct a.number
    from unnest($1::uuid[]) as n (id)
      cross join lateral (select * from account_supply_point p where p.supply_point_id = n.id offset 0) s
      join account a on a.id = s.account_id
    where ${isHeldSql}`,
};

/** Of several accounts that wait for a point, the one that was held first is released. */
const RELEASE: PreparedQuery = {
  name: 'switch-release-unclaimed',
  text: `
    update account_supply_point s set held_since = null
    from account a
    where a.id = s.account_id and a.number = any($2::text[]) and s.supply_point_id = any($1::uuid[]) and ${isHeldSql} and (
      select true from account_supply_point o
      where o.supply_point_id = s.supply_point_id and o.account_id <> s.account_id and ${hasNotEndedSql}
        and (o.held_since is null or o.released_at is not null or (o.held_since, o.account_id) < (s.held_since, s.account_id)) limit 1) is null
    returning a.number, a.import_supplier as "importSupplier", a.external_account_number as "externalAccountNumber"`,
};

/** The numbers of the accounts that wait for a decision about points. */
export async function findHeldOn(em: EntityManager, supplyPointIds: readonly string[]): Promise<string[]> {
  return (await run<{ number: string }>(em, HELD, [supplyPointIds])).map(({ number }) => number);
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
  type Released = { number: string; importSupplier: string; externalAccountNumber: string };
  const released = await run<Released>(em, RELEASE, [supplyPointIds, numbers]);
  const works = new Map(
    released.map((one) => [one.number, switchWorkItem(one.number, one.importSupplier, one.externalAccountNumber)]),
  );
  // The dispatcher wakes the pages.
  await signalWork(em, [...works.values()], 0);
}
