import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type PreparedQuery } from '../platform/database/prepared-query.ts';

/** Skips points that another transaction has locked: a creation that adds an account with them holds such a lock. */
const LOCK: PreparedQuery = {
  name: 'supply-points-lock-free',
  text: `
    select id from supply_point where id = any($1::uuid[]) order by supply_type, identifier for update skip locked`,
};

/** A lookup may refer to the point by its identifier. */
const DELETE_UNUSED: PreparedQuery = {
  name: 'supply-points-delete-unused',
  text: `
    delete from supply_point m
    where m.id = any($1::uuid[]) and m.populated_at is null
      and (select true from account_supply_point s where s.supply_point_id = m.id limit 1) is null
      and (select true from look_up l where l.network_operator = case m.supply_type when 'GAS' then 'grdf' else 'enedis' end and l.identifier = m.identifier limit 1) is null
    returning 1`,
};

/** Locks the points that no other transaction uses. No account can be created with them until the commit. */
export async function lockFreePoints(em: EntityManager, ids: readonly string[]): Promise<string[]> {
  return (await run<{ id: string }>(em, LOCK, [ids])).map(({ id }) => id);
}

/**
 * Deletes the master records of points that no account has and no lookup concerns.
 * @param ids of `lockFreePoints`
 * @returns the number of deleted records
 */
export async function deleteUnusedPoints(em: EntityManager, ids: readonly string[]): Promise<number> {
  return (await run(em, DELETE_UNUSED, [ids])).length;
}
