import { defineSearchAttributeKey } from '@temporalio/common';
import {
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { RequestActivities, SwitchSteps } from '../../activities/switching/switch-pages.activities.ts';
import { retryDetails, wakeSignalOfKind, switchBudget, taskQueues, type SwitchBudget } from '../../temporal.config.ts';

/** The account; keys only. */
export interface SwitchInput {
  accountNumber: string;
  importSupplier: string;
  externalAccountNumber: string;
  /** Set in tests only. */
  budget?: SwitchBudget;
}

/** How a run ends. `requested`: nothing is left to request. `unreachable`: the dispatcher retries after a day. */
export type SwitchEnd = 'requested' | 'unreachable';

/** Sent after a market message or a status set by hand was stored. */
const wake = defineSignal(wakeSignalOfKind['switch-supplier']!);

const IMPORT_STATUS = defineSearchAttributeKey('ImportStatus', 'KEYWORD');

/**
 * Requests the switch of one account that failed too often in pages, until the industry switch accepts it or nothing is left to request. Then
 * the account returns to the pages. State is stored in Postgres, so the run may be lost, restarted or started twice.
 */
export async function switchSupplier(input: SwitchInput): Promise<SwitchEnd> {
  const { steps, network } = activitiesOf(input.budget ?? switchBudget);
  let signals = 0;
  setHandler(wake, () => {
    signals += 1;
  });
  for (;;) {
    signals = 0;
    const { kind } = await steps.takeSwitchStep(input);
    if (kind !== 'send') {
      // The step may have missed messages that arrived while it ran.
      if (signals > 0) continue;
      return 'requested';
    }
    setCurrentDetails(`Requests the switch from the network operator, for up to a week. ${retryDetails}`);
    upsertSearchAttributes([{ key: IMPORT_STATUS, value: 'SENDING' }]);
    const isSent = await sendUntilSignalled(
      () => network.sendSwitchRequests(input),
      () => signals > 0,
    );
    if (isSent) continue;
    await steps.noteSwitchUnreachable(input);
    if (signals === 0) return 'unreachable';
  }
}

/** Sends until the requests are accepted or a signal arrives, which may make them unnecessary. @returns false if the budget is exhausted */
async function sendUntilSignalled(send: () => Promise<void>, isSignalled: () => boolean): Promise<boolean> {
  const scope = new CancellationScope();
  try {
    await scope.run(() => Promise.race([send(), condition(isSignalled)]));
    return true;
  } catch (error) {
    // The run itself was cancelled.
    if (isCancellation(error)) throw error;
    return false;
  } finally {
    scope.cancel();
  }
}

function activitiesOf(sending: SwitchBudget) {
  // Tests use another queue for workflow and activities.
  const { taskQueue } = workflowInfo();
  const { startToCloseTimeout, scheduleToCloseTimeout, heartbeatTimeout, initialInterval, maximumInterval } =
    sending as Record<keyof typeof sending, '1m'> & { heartbeatTimeout?: '1m' };
  return {
    // Retried forever, because our database is needed.
    steps: proxyActivities<SwitchSteps>({
      startToCloseTimeout: '15s',
      retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '60s' },
    }),
    network: proxyActivities<RequestActivities>({
      taskQueue: taskQueue === taskQueues.imports ? taskQueues.switching : taskQueue,
      startToCloseTimeout,
      scheduleToCloseTimeout,
      ...(heartbeatTimeout === undefined ? {} : { heartbeatTimeout }),
      retry: { initialInterval, backoffCoefficient: 2, maximumInterval },
      summary: 'Requests the switch from the network operator',
    }),
  };
}
