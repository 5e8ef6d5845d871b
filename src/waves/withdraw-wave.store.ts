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

export const WITHDRAWAL_NEEDS_APPROVAL =
  'A second person approved the creation of this wave, so a second person must approve its withdrawal.';

/** The approval of the withdrawal of a wave. One that was requested for other members or revisions is missing. */
export async function readWithdrawalApproval(
  on: Queryable,
  wave: WaveRecord,
): Promise<'not_required' | 'missing' | 'requested' | 'approved'> {
  if ((await findApproval(on, wave.id))?.decision !== 'approved') return 'not_required';
  const approval = await findApproval(on, wave.id, 'withdrawal');
  if (approval === undefined || approval.decision === 'declined') return 'missing';
  if (!approval.contentHash.equals((await contentOf(on, wave)).hash)) return 'missing';
  return approval.decision ?? 'requested';
}

/** Marks a wave as being withdrawn, in the transaction that starts the withdrawal. A wave whose creation was approved needs an approval of its withdrawal. */
export async function beginWaveWithdrawal(em: EntityManager, waveId: string): Promise<Refused | undefined> {
  const wave = (await lockWave(em, waveId))!;
  if (wave.status !== 'CREATED' && wave.status !== 'CANCELLED') return statusForbids(wave.status, 'be withdrawn');
  const approval = await readWithdrawalApproval(em, wave);
  if (approval !== 'not_required' && approval !== 'approved') {
    return refuse('wave_status_forbids', { detail: WITHDRAWAL_NEEDS_APPROVAL });
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
