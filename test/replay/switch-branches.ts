import type { SwitchActivities } from '../../activities/switching/switch-supplier.activities.ts';
import type { NextStep } from '../../src/switching/switch-state.rules.ts';
import type { SwitchBudget } from '../../temporal.config.ts';
import { shortBudget, stepsOf, type SwitchFakes, type SwitchRun } from '../workflows/switch-fakes.ts';
import { failed } from './stand-in-failure.ts';

/** A branch of the switch: its activities, and the run. */
export interface SwitchBranch {
  activities(): Partial<SwitchActivities>;
  run(fakes: SwitchFakes): Promise<SwitchRun>;
  /** Recorded while the run waits, as at the deployment of a new version. */
  staysOpen?: true;
}

const settled: NextStep = { kind: 'settled' };
const wait: NextStep = { kind: 'wait', forMs: undefined };

const activities =
  (steps: NextStep[], send: () => Promise<void> = async () => {}): SwitchBranch['activities'] =>
  () => ({
    takeSwitchStep: stepsOf(...steps),
    sendSwitchRequests: send,
    noteSwitchUnreachable: async () => {},
    noteSwitchSilence: async () => {},
  });
const plain: SwitchBranch['run'] = (fakes) => fakes.start('A-RECORDED');

/** Waits until the history of a run has the given number of events. */
async function reaches(run: SwitchRun, events: number): Promise<SwitchRun> {
  while ((await run.describe()).historyLength < events) {
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  return run;
}

/** Signals a run each time it waits. */
const told =
  (atEvents: number, account = 'A-RECORDED', budget?: SwitchBudget): SwitchBranch['run'] =>
  async (fakes) => {
    const run = await fakes.start(account, budget);
    await (await reaches(run, atEvents)).signal('wake');
    return run;
  };

export const switchBranches: Record<string, SwitchBranch> = {
  'switch-supplier.completed': { activities: activities([{ kind: 'send' }, wait, settled]), run: told(24) },
  'switch-supplier.rests': { activities: activities([{ kind: 'rest', forMs: 1_000 }]), run: plain },
  'switch-supplier.later-point': {
    activities: activities([{ kind: 'wait', forMs: 300 }, { kind: 'send' }, settled]),
    run: plain,
  },
  // Longer than the current limit on silence. It was recorded without that limit: its timer led to the next step.
  'switch-supplier.later-point-after-silence': {
    activities: activities([{ kind: 'wait', forMs: 600 }, settled]),
    run: (fakes) => fakes.start('A-RECORDED', shortBudget),
  },
  'switch-supplier.unreachable': {
    activities: activities([{ kind: 'send' }], async () => {
      throw failed('vendor_unavailable');
    }),
    run: (fakes) => fakes.start('A-RECORDED', shortBudget),
  },
  'switch-supplier.signalled-while-sending': {
    activities: activities([{ kind: 'send' }, settled], async () => {
      throw failed('vendor_unavailable');
    }),
    run: told(12),
  },
  'switch-supplier.waiting': {
    activities: activities([{ kind: 'send' }, wait]),
    run: async (fakes) => reaches(await fakes.start('A-WAITS'), 24),
    staysOpen: true,
  },
  'switch-supplier.waiting-after-signal': {
    activities: activities([wait, wait]),
    run: async (fakes) => reaches(await told(11, 'A-NEWS')(fakes), 21),
    staysOpen: true,
  },
  // Runs with the limit on silence (`patched`).
  'switch-supplier.limited.completed': { activities: activities([{ kind: 'send' }, wait, settled]), run: told(27) },
  'switch-supplier.limited.silent': { activities: activities([wait, settled]), run: told(24, 'A-SILENT', shortBudget) },
  'switch-supplier.limited.waiting': {
    activities: activities([wait]),
    run: async (fakes) => reaches(await fakes.start('A-LIMITED'), 14),
    staysOpen: true,
  },
};
