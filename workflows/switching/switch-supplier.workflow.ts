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
import type { SwitchActivities } from '../../activities/switching/switch-supplier.activities.ts';
import { retryDetails, wakeSignalOfKind, switchBudget, taskQueues, type SwitchBudget } from '../../temporal.config.ts';
import { sendUntilSignalled, waitUntilSignalled } from './wait-for-signal.workflow.ts';

/** The account; keys only. */
export interface SwitchInput {
  accountNumber: string;
  importSupplier: string;
  externalAccountNumber: string;
  /** Set in tests only. */
  budget?: SwitchBudget;
}

/** How a run ends. `rests`: the first request is due later. `unreachable`: the dispatcher retries after a day. */
export type SwitchEnd = 'settled' | 'rests' | 'unreachable';

/** Sent after a market message or a status set by hand was stored. */
const wake = defineSignal(wakeSignalOfKind['switch-supplier']!);

const IMPORT_STATUS = defineSearchAttributeKey('ImportStatus', 'KEYWORD');

/**
 * Runs the industry switch of one account, from the day on which it is due until all points are COMPLETED or REJECTED, which takes
 * weeks. Messages and state are stored in Postgres; the run only sends requests and waits. It may be lost, restarted or started twice.
 */
export async function switchSupplier(input: SwitchInput): Promise<SwitchEnd> {
  const { budget = switchBudget } = input;
  const { own, network } = activitiesOf(budget);
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
        // The step may have missed messages that arrived while it ran.
        if (signals > 0) break;
        return next.kind === 'rest' ? 'rests' : 'settled';
      case 'send':
        show('SENDING', `Requests the switch from the network operator, for up to a week. ${retryDetails}`);
        if (
          await sendUntilSignalled(
            () => network.sendSwitchRequests(input),
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
          'The network operator is processing the switch. The run continues with the next market message.',
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

/** Shows the state in the search attribute `ImportStatus`, by which operators find waiting and failing runs. */
function show(status: 'SENDING' | 'WAITING', details: string): void {
  setCurrentDetails(details);
  if (workflowInfo().typedSearchAttributes.get(IMPORT_STATUS) !== status) {
    upsertSearchAttributes([{ key: IMPORT_STATUS, value: status }]);
  }
}

function activitiesOf({ sending }: SwitchBudget) {
  // Tests use another queue for workflow and activities.
  const taskQueue = workflowInfo().taskQueue === taskQueues.imports ? taskQueues.switching : workflowInfo().taskQueue;
  const { startToCloseTimeout, scheduleToCloseTimeout, heartbeatTimeout, initialInterval, maximumInterval } =
    sending as Record<keyof typeof sending, '1m'> & { heartbeatTimeout?: '1m' };
  return {
    // Retried forever, because our database is needed.
    own: proxyActivities<SwitchActivities>({
      taskQueue,
      startToCloseTimeout: '15s',
      retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '60s' },
    }),
    network: proxyActivities<SwitchActivities>({
      taskQueue,
      startToCloseTimeout,
      scheduleToCloseTimeout,
      ...(heartbeatTimeout === undefined ? {} : { heartbeatTimeout }),
      retry: { initialInterval, backoffCoefficient: 2, maximumInterval },
      summary: 'Requests the switch from the network operator',
    }),
  };
}
