import { sql } from 'kysely';
import { workflowIds } from '../../temporal.config.ts';
import { propertiesOf, type Queryable } from '../platform/database/prepared-query.ts';
import type { UnfinishedState } from '../platform/work-items/compared-work.store.ts';
import { workItemIdSql } from '../platform/work-items/work-item.store.ts';
import type { WaveTables } from './wave.entity.ts';
import { waveWorkItem } from './wave.store.ts';

/** Lists waves that have not ended, after the id `after`, with whether they have work. */
export async function findUnfinishedWaves(on: Queryable, after: string, limit: number): Promise<UnfinishedState[]> {
  const workItemId = sql.raw<string>(workItemIdSql(`'${workflowIds.wave('')}' || v.id`));
  const waves = await propertiesOf<WaveTables>(on)
    .selectFrom('wave as v')
    .select(['v.id', 'v.importSupplier', 'v.createdAt', sql<boolean>`(${workItemId}) is not null`.as('hasWork')])
    .where('v.status', 'not in', ['WITHDRAWN', 'SIGNED_OFF', 'CANCELLED'])
    .where('v.id', '>', after)
    .orderBy('v.id')
    .limit(limit)
    .execute();
  return waves.map((wave) => ({
    key: wave.id,
    since: wave.createdAt,
    hasWork: wave.hasWork,
    work: waveWorkItem(wave),
  }));
}

/** Counts the waves that have not ended, by status, and those whose plan has ended although not all their accounts are created. */
export async function countWaves(on: Queryable): Promise<{ status: string; waves: number; pastPlan: number }[]> {
  return propertiesOf<WaveTables>(on)
    .selectFrom('wave')
    .select(['status', sql<number>`count(*)::integer`.as('waves')])
    .select(
      sql<number>`count(*) filter (where create_until < now() and status in ('PREPARING', 'SCHEDULED', 'CREATING', 'PAUSED'))::integer`.as(
        'pastPlan',
      ),
    )
    .where('status', 'not in', ['WITHDRAWN', 'SIGNED_OFF', 'CANCELLED'])
    .groupBy('status')
    .execute();
}
