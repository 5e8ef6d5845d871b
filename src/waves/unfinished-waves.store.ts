import { sql } from 'kysely';
import { workflowIds } from '../../temporal.config.ts';
import { propertiesOf, type Queryable } from '../platform/database/prepared-query.ts';
import { findUnfinishedOf, type UnfinishedState } from '../platform/work-items/compared-work.store.ts';
import { ENDED_WAVES, waveStatuses } from '../vocabulary/waves.ts';
import { membersOf } from '../vocabulary/value-sets.ts';
import { hasWaveEnded } from './wave.rules.ts';
import type { WaveTables } from './wave.entity.ts';
import { waveWorkItem } from './wave.store.ts';

/** Lists waves that have not ended, after the id `after`, with whether they have work. */
export function findUnfinishedWaves(on: Queryable, after: string, limit: number): Promise<UnfinishedState[]> {
  const statuses = membersOf(waveStatuses).filter((status) => !hasWaveEnded(status));
  const open = { table: 'wave', since: 'created_at', statuses, workflowIdPrefix: workflowIds.wave('') } as const;
  return findUnfinishedOf(on, { ...open, workOf: waveWorkItem }, after, limit);
}

/** Lists paused waves, and waves whose approval was requested and is not decided, with the time of the request. */
export function findWaitingWaves(on: Queryable) {
  return propertiesOf<WaveTables>(on)
    .selectFrom('wave as w')
    .leftJoin('wave_approval as a', (join) => join.onRef('a.waveId', '=', 'w.id').on('a.decision', 'is', null))
    .select(['w.id', 'w.name'])
    .select(({ fn }) => [
      sql<boolean>`w.status = 'PAUSED'`.as('isPaused'),
      fn.max('a.requestedAt').$castTo<Date | null>().as('since'),
    ])
    .where('w.status', 'not in', ENDED_WAVES)
    .where((is) => is.or([is('w.status', '=', 'PAUSED'), is('a.id', 'is not', null)]))
    .groupBy('w.id')
    .execute();
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
    .where('status', 'not in', ENDED_WAVES)
    .groupBy('status')
    .execute();
}
