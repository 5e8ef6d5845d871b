import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { AccountSupplyPointTable } from '../accounts/index.ts';
import { kyselyOf } from '../platform/database/prepared-query.ts';
import type { NetworkOperatorName } from '../vocabulary/network-operators.ts';
import type { LookupTables, SupplyPointTable } from './supply-point.entity.ts';

/**
 * Locks the points that no other transaction uses. No account can be created with them until the commit. Skips points that another
 * transaction has locked: a creation that adds an account with them holds such a lock.
 */
export async function lockFreePoints(em: EntityManager, ids: readonly string[]): Promise<string[]> {
  const locked = await kyselyOf<SupplyPointTable>(em)
    .selectFrom('supply_point')
    .select('id')
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .orderBy('supply_type')
    .orderBy('identifier')
    .forUpdate()
    .skipLocked()
    .execute();
  return locked.map(({ id }) => id);
}

/**
 * Deletes the master records of points that no account has and no lookup concerns.
 * @param ids of `lockFreePoints`
 * @returns the number of deleted records
 */
export async function deleteUnusedPoints(em: EntityManager, ids: readonly string[]): Promise<number> {
  const isUsed = sql<true>`true`.as('is_used');
  const { numDeletedRows } = await kyselyOf<AccountSupplyPointTable & LookupTables & SupplyPointTable>(em)
    .deleteFrom('supply_point as m')
    .where('m.id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('m.populated_at', 'is', null)
    .where(
      ({ selectFrom }) =>
        selectFrom('account_supply_point as s').select(isUsed).whereRef('s.supply_point_id', '=', 'm.id').limit(1),
      'is',
      null,
    )
    .where(
      ({ selectFrom }) =>
        selectFrom('look_up as l')
          .select(isUsed)
          .where(
            'l.network_operator',
            '=',
            sql<NetworkOperatorName>`case m.supply_type when 'GAS' then 'grdf' else 'enedis' end`,
          )
          // A lookup may refer to the point by its identifier.
          .whereRef('l.identifier', '=', 'm.identifier')
          .limit(1),
      'is',
      null,
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
