import { propertiesOf, type Queryable } from '../platform/database/prepared-query.ts';
import type { WaveTables } from './wave.entity.ts';

/** A record that a wave leaves out. */
export interface WaveExclusionView {
  /** An external account number, or `import-jobs/<id>/lines/<line>`. */
  record: string;
  reason: string;
  excludedBy: string;
  excludedAt: Date;
}

const LISTED = 100;

/** Lists records that a wave leaves out, newest first. */
export async function findExclusions(on: Queryable, waveId: string): Promise<WaveExclusionView[]> {
  return propertiesOf<WaveTables>(on)
    .selectFrom('wave_exclusion')
    .select(['record', 'reason', 'excludedBy', 'excludedAt'])
    .where('waveId', '=', waveId)
    .orderBy('excludedAt', 'desc')
    .orderBy('record')
    .limit(LISTED)
    .execute();
}
