import {
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { WaveActivities } from '../../activities/waves/advance-wave.activities.ts';
import { importJobBudget, retryDetails, wakeSignalOfKind } from '../../temporal.config.ts';

/** Sent after a person changed the wave. */
const waveChanged = defineSignal(wakeSignalOfKind['wave'] as string);
/** Sent by people in Temporal's web UI. */
const pause = defineSignal('pause');
const resume = defineSignal('resume');

const { advanceWave, cancelWave, steerWave } = proxyActivities<WaveActivities>(importJobBudget.step);

/**
 * Follows one wave to its end: starts its creation when its plan begins, pauses it when its plan ends, and shows the current gate. The
 * wave is stored in the database; its jobs have runs of their own. Cancelling this run cancels the wave.
 * @returns the final status of the wave; `UNKNOWN` if it does not exist
 */
export async function wave(input: { waveId: string; importSupplier: string }): Promise<string> {
  let isChanged = false;
  const asked: ('pause' | 'resume')[] = [];
  setHandler(waveChanged, () => {
    isChanged = true;
  });
  setHandler(pause, () => void asked.push('pause'));
  setHandler(resume, () => void asked.push('resume'));
  setCurrentDetails(retryDetails);
  try {
    for (let rounds = 0; rounds < importJobBudget.roundsPerRun || isChanged || asked.length > 0; rounds += 1) {
      isChanged = false;
      for (let verb = asked.shift(); verb !== undefined; verb = asked.shift()) await steerWave(input.waveId, verb);
      const progress = await advanceWave(input.waveId);
      if (progress === null) return 'UNKNOWN';
      setCurrentDetails(progress.details);
      if (progress.hasEnded) return progress.status;
      if (progress.waitMs > 0) await condition(() => isChanged || asked.length > 0, progress.waitMs);
    }
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => cancelWave(input.waveId));
    throw error;
  }
  return continueAsNew<typeof wave>(input);
}
