import type { EntityManager } from '@mikro-orm/postgresql';
import { releaseMembers } from '../account-import/index.ts';
import { kyselyOf, type Queryable } from '../platform/database/prepared-query.ts';
import type { ImportJobColumns } from '../import-jobs/index.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { contentOf } from './approval.store.ts';
import { findApproval } from './wave-facts.store.ts';
import type { WaveRecord } from './wave.entity.ts';
import { statusForbids } from './wave.rules.ts';
import { changeWave, countWave, findWaveOfRequest, lockWave, type WaveViewer } from './wave.store.ts';

/** A wave whose accounts can be withdrawn, and its jobs. */
export interface WithdrawableWave {
  wave: WaveRecord;
  jobIds: string[];
}

/** Finds a wave whose accounts can be withdrawn. @param viewer undefined for operators, who see all waves */
export async function findWithdrawableWave(
  on: Queryable,
  waveId: string,
  viewer: WaveViewer | undefined,
): Promise<WithdrawableWave | Refused> {
  const wave = await findWaveOfRequest(on, { params: { wave: waveId } }, viewer);
  if (isRefused(wave)) return wave;
  if (!['CREATED', 'WITHDRAWING', 'CANCELLED'].includes(wave.status)) return statusForbids(wave.status, 'be withdrawn');
  const jobs = await kyselyOf<ImportJobColumns>(on)
    .selectFrom('import_job')
    .select(['id', 'status'])
    .where('wave_id', '=', wave.id)
    .execute();
  const isOpen = jobs.some(({ status }) => ['VALIDATING', 'RUNNING', 'PAUSED'].includes(status));
  if (isOpen) {
    return refuse('wave_status_forbids', { detail: 'Jobs of the wave have not ended. Wait, or cancel them.' });
  }
  return { wave, jobIds: jobs.map(({ id }) => id) };
}

/** Marks a wave as being withdrawn, in the transaction that starts the withdrawal. A wave whose creation was approved needs an approval of its withdrawal. */
export async function beginWaveWithdrawal(em: EntityManager, waveId: string): Promise<Refused | undefined> {
  const wave = (await lockWave(em, waveId))!;
  if (wave.status !== 'CREATED' && wave.status !== 'CANCELLED') return statusForbids(wave.status, 'be withdrawn');
  if ((await findApproval(em, waveId))?.decision === 'approved') {
    const approval = await findApproval(em, waveId, 'withdrawal');
    const isApproved = approval?.decision === 'approved';
    if (!isApproved || !approval.contentHash.equals((await contentOf(em, wave)).hash)) {
      return refuse('wave_status_forbids', {
        detail: 'A second person approved the creation of this wave, so a second person must approve its withdrawal.',
      });
    }
  }
  if (wave.status === 'CREATED') await changeWave(em, wave, { status: 'WITHDRAWING' });
  return undefined;
}

/** Ends the withdrawal of a wave. With kept accounts the wave remains, and its withdrawn accounts can be created again. */
export async function endWaveWithdrawal(em: EntityManager, waveId: string, isWhole: boolean): Promise<void> {
  const wave = await lockWave(em, waveId);
  if (wave?.status !== 'WITHDRAWING') return;
  if (isWhole) await releaseMembers(em, waveId);
  await countWave(em, waveId);
  await changeWave(em, wave, { status: isWhole ? 'WITHDRAWN' : 'CREATED' });
}
