import type { WorkflowHandle } from '@temporalio/client';
import type { RequestActivities, SwitchSteps } from '../../activities/switching/switch-pages.activities.ts';
import type { NextStep } from '../../src/switching/switch-state.rules.ts';
import { answersOf, due, nothing, shortBudget, signalled, type SwitchFakes } from '../workflows/switch-fakes.ts';
import { failed } from './stand-in-failure.ts';

/** A branch of the workflows of switches: its activities, and the run. */
export interface SwitchBranch {
  activities(): Partial<SwitchSteps & RequestActivities>;
  run(fakes: SwitchFakes): Promise<WorkflowHandle>;
  /** Recorded while the run waits, as at the deployment of a new version. */
  staysOpen?: true;
}

const send: NextStep = { kind: 'send' };
const settled: NextStep = { kind: 'settled' };

const alone =
  (steps: NextStep[], sendSwitchRequests: () => Promise<void> = async () => {}): SwitchBranch['activities'] =>
  () => ({ takeSwitchStep: answersOf(...steps), sendSwitchRequests, noteSwitchUnreachable: async () => {} });
const away = async () => {
  throw failed('vendor_unavailable');
};

/** Waits until the history of a run has the given number of events. */
async function reaches<Run extends WorkflowHandle>(run: Run, events: number): Promise<Run> {
  while ((await run.describe()).historyLength < events) {
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  return run;
}

/** Signals a run when its history has the given number of events. */
async function told(run: WorkflowHandle, atEvents: number): Promise<WorkflowHandle> {
  await (await reaches(run, atEvents)).signal('wake');
  return run;
}

export const switchBranches: Record<string, SwitchBranch> = {
  'switch-supplier.requested': { activities: alone([send, settled]), run: (fakes) => fakes.start('A-RECORDED') },
  'switch-supplier.unreachable': {
    activities: alone([send], away),
    run: (fakes) => fakes.start('A-RECORDED', shortBudget),
  },
  'switch-supplier.signalled-while-sending': {
    activities: alone([send, settled], away),
    run: async (fakes) => told(await fakes.start('A-RECORDED'), 12),
  },
  'request-switches.ended': {
    activities: () => ({
      applySwitchMessages: answersOf(signalled, due),
      requestDueSwitches: answersOf(due, nothing),
      endSwitchPages: async () => null,
    }),
    run: (fakes) => fakes.startPages(),
  },
  'request-switches.woken': {
    activities: () => ({ applySwitchMessages: answersOf(nothing), endSwitchPages: answersOf<number | null>(60, null) }),
    run: async (fakes) => told(await fakes.startPages(), 18),
  },
  'request-switches.industry-switch-away': {
    activities: () => ({ applySwitchMessages: answersOf(due, nothing), requestDueSwitches: away }),
    run: async (fakes) => reaches(await told(await fakes.startPages(), 11), 18),
    staysOpen: true,
  },
};
