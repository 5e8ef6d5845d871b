import { advanceWave, cancelWaveOfRun, steerWaveOfRun, type WaveProgress } from '../../src/waves/index.ts';
import type { Database } from '../../src/platform/database/database.ts';
import type { Log } from '../../src/platform/log.ts';
import type { WorkRuns } from '../../src/platform/temporal/start-run.ts';
import { onDatabase } from '../failures.ts';

export type WaveActivities = ReturnType<typeof waveActivities>;

/** Steps of waves; each is one transaction. */
export function waveActivities({ database, runs, log }: { database: Database; runs: WorkRuns; log: Log }) {
  const change = (waveId: string, work: Parameters<Database['transaction']>[0]) =>
    onDatabase(log, 'wave not changed', () => database.transaction(work), { waveId });
  return {
    /** Takes the next step of a wave. @returns its progress; null if it does not exist */
    advanceWave: async (waveId: string): Promise<WaveProgress | null> =>
      (await onDatabase(log, 'wave not continued', () => advanceWave({ database, runs }, waveId, new Date()), {
        waveId,
      })) ?? null,
    /** Cancels a wave after its run was cancelled in Temporal's web UI. */
    cancelWave: async (waveId: string): Promise<void> => {
      await change(waveId, (em) => cancelWaveOfRun(em, waveId));
    },
    /** Pauses or resumes a wave after a signal in Temporal's web UI. */
    steerWave: async (waveId: string, verb: 'pause' | 'resume'): Promise<void> => {
      await change(waveId, (em) => steerWaveOfRun(em, waveId, verb));
    },
  };
}
