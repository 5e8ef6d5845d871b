/** Public interface of waves. */
export { advanceWave, type WaveProgress } from './advance-wave.store.ts';
export { cancelWaveOfRun, steerWaveOfRun } from './steer-wave.store.ts';
export { countWaves, findUnfinishedWaves } from './unfinished-waves.store.ts';
export { beginWaveWithdrawal, endWaveWithdrawal, findWithdrawableWave } from './withdraw-wave.store.ts';
