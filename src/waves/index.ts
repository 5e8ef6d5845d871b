/** Public interface of waves. */
export { advanceWave, type WaveProgress } from './advance-wave.store.ts';
export { readChangedMembers, readWaveForPerson, readWavesByEnd, type WaveForPerson } from './read-wave.store.ts';
export { cancelWaveOfRun, steerWaveOfRun, type WaveVerb } from './steer-wave.store.ts';
export { acceptDifferencesOfWave } from './wave-manifest.route.ts';
export { openWaveForPerson } from './open-wave.route.ts';
export { needsReason, steerWaveAsOperator } from './steer-wave.route.ts';
export { excludeFromWave, moveAccounts } from './change-members.route.ts';
export { changePlan } from './change-plan.route.ts';
export { countWaves, findUnfinishedWaves, findWaitingWaves } from './wave.store.ts';
export {
  beginWaveWithdrawal,
  endWaveWithdrawal,
  findWithdrawableWave,
  readWithdrawalApproval,
  WITHDRAWAL_NEEDS_APPROVAL,
  type WithdrawableWave,
} from './steer-wave.store.ts';
export { findEarlyStarts, type EarlyStart } from './early-starts.store.ts';
export { findWaveOfRequest } from './wave.store.ts';
export type { WaveView } from './wave-view.rules.ts';
export type { WaveColumns } from './wave.entity.ts';
