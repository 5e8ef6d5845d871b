import type { WorkflowHandle } from '@temporalio/client';
import type { WaveProgress } from '../../src/waves/index.ts';

const preparing: WaveProgress = { status: 'PREPARING', hasEnded: false, details: 'Gate complete', waitMs: 50 };
const waiting: WaveProgress = { ...preparing, waitMs: 60_000 };
const signedOff: WaveProgress = { status: 'SIGNED_OFF', hasEnded: true, details: 'All gates are passed.', waitMs: 0 };

/** A branch of the workflow of waves: the results of its rounds, and the actions on the run. */
interface WaveBranch {
  rounds: readonly WaveProgress[];
  meddle?(handle: WorkflowHandle): Promise<unknown>;
}

export const waveBranches: Record<string, WaveBranch> = {
  'wave.signed-off': { rounds: [preparing, preparing, signedOff] },
  'wave.paused': { rounds: [waiting, signedOff], meddle: (handle) => handle.signal('pause') },
  'wave.cancelled': { rounds: [waiting], meddle: (handle) => handle.cancel() },
};
