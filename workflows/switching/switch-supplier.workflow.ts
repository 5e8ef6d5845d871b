import { defineSearchAttributeKey } from '@temporalio/common';
import {
  continueAsNew,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { SwitchActivities } from '../../activities/switching/index.ts';
import { wakeSignalOfKind, switchBudget, taskQueues, type SwitchBudget } from '../../temporal.config.ts';
import { sendUntilSignalled, waitUntilSignalled } from './wait-for-signal.workflow.ts';

/** Which account's switch it is; keys only. */
export interface SwitchInput {
  accountNumber: string;
  importSupplier: string;
  externalAccountNumber: string;
  /** Left out but in tests. */
  budget?: SwitchBudget;
}

/** How a run ends. `rests`: the first request is due later. Both others leave nothing, or a day's pause, behind. */
export type SwitchEnd = 'settled' | 'rests' | 'unreachable';

/** Something was stored for the account: a market message, or a status set by hand. */
const wake = defineSignal(wakeSignalOfKind['switch-supplier']!);

const IMPORT_STATUS = defineSearchAttributeKey('ImportStatus', 'KEYWORD');

/**
 * The industry switch of one account, from the day on which it is due until all points are COMPLETED or REJECTED, which
 * takes weeks. What was said and what follows from it stand in Postgres; the run only decides when to look,
 * asks the network operator and waits. So it may be lost, begun again or begun twice without anything being forgotten.
 */
export async function switchSupplier(input: SwitchInput): Promise<SwitchEnd> {
  const { budget = switchBudget } = input;
  const { own, asking } = activitiesOf(budget);
  let signals = 0;
  setHandler(wake, () => {
    signals += 1;
  });
  for (;;) {
    if (workflowInfo().historyLength >= budget.historyLengthMax || workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof switchSupplier>(input);
    }
    signals = 0;
    const next = await own.takeSwitchStep(input);
    switch (next.kind) {
      case 'settled':
      case 'rest':
        // What came in while the step was taken may not have been seen by it.
        if (signals > 0) break;
        return next.kind === 'rest' ? 'rests' : 'settled';
      case 'send':
        show(
          'SENDING',
          'The network operator is asked for the switch. If the pending activity fails, its last failure says why; it is tried again for a week.',
        );
        if (
          await sendUntilSignalled(
            () => asking.sendSwitchRequests(input),
            () => signals > 0,
          )
        ) {
          break;
        }
        await own.noteSwitchUnreachable(input);
        if (signals > 0) break;
        return 'unreachable';
      case 'wait':
        show(
          'WAITING',
          'The switch is under way at the network operator. The next market message goes on with it; nothing is to be done.',
        );
        await waitUntilSignalled(
          next.forMs,
          () => signals > 0,
          budget.silenceMs,
          () => own.noteSwitchSilence(input),
        );
        break;
    }
  }
}

/** Operators find runs that wait for nothing but messages, and those that do not, apart by `ImportStatus`. */
function show(status: 'SENDING' | 'WAITING', details: string): void {
  setCurrentDetails(details);
  if (workflowInfo().typedSearchAttributes.get(IMPORT_STATUS) !== status) {
    upsertSearchAttributes([{ key: IMPORT_STATUS, value: status }]);
  }
}

function activitiesOf({ sending }: SwitchBudget) {
  // A run on another queue, as tests have, keeps its activities there.
  const taskQueue = workflowInfo().taskQueue === taskQueues.imports ? taskQueues.switching : workflowInfo().taskQueue;
  const { startToCloseTimeout, scheduleToCloseTimeout, heartbeatTimeout, initialInterval, maximumInterval } =
    sending as Record<keyof typeof sending, '1m'> & { heartbeatTimeout?: '1m' };
  return {
    // Our own database is waited for without end.
    own: proxyActivities<SwitchActivities>({
      taskQueue,
      startToCloseTimeout: '15s',
      retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '60s' },
    }),
    asking: proxyActivities<SwitchActivities>({
      taskQueue,
      startToCloseTimeout,
      scheduleToCloseTimeout,
      ...(heartbeatTimeout === undefined ? {} : { heartbeatTimeout }),
      retry: { initialInterval, backoffCoefficient: 2, maximumInterval },
      summary: 'Asks the network operator for the switch',
    }),
  };
}
