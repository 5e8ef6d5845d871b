import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { RequestActivities, SwitchSteps } from '../../activities/switching/switch-pages.activities.ts';
import type { PendingSwitches } from '../../src/switching/switch-page.store.ts';
import {
  retryDetails,
  type SwitchPageBudget,
  switchPageAttempts,
  switchPageBudget,
  taskQueues,
  wakeSignalOfKind,
} from '../../temporal.config.ts';

export interface PagesInput {
  /** Set in tests only. */
  budget?: SwitchPageBudget;
}

/** Sent after a market message or a status set by hand was stored, or when switches are due. */
const wake = defineSignal(wakeSignalOfKind['request-switches']!);

/** Pages of one kind, one at a time. */
interface Pages {
  isDue: boolean;
  isRunning: boolean;
}

/**
 * Works off switches in pages while some are due: market messages on the one hand, requests to the industry switch on the other, so that a
 * slow party delays no message. A switch that waits costs nothing here; its work item is due again on its day. If the industry switch is
 * down, the page of requests is a pending activity with its last failure.
 */
export async function requestSwitches(input: PagesInput): Promise<void> {
  const { budget = switchPageBudget } = input;
  const { steps, network } = activitiesOf();
  const messages: Pages = { isDue: true, isRunning: false };
  const requests: Pages = { isDue: false, isRunning: false };
  let fault: Error | undefined;
  setHandler(wake, () => {
    messages.isDue = true;
  });
  setCurrentDetails(`Requests due switches and applies market messages. ${retryDetails}`);
  const work = async (pages: Pages, page: (given: SwitchPageBudget) => Promise<PendingSwitches>): Promise<void> => {
    pages.isDue = false;
    pages.isRunning = true;
    try {
      const { isSignalled, dueSeconds } = await page(budget);
      messages.isDue ||= isSignalled;
      requests.isDue ||= dueSeconds !== null && dueSeconds <= 0;
    } catch (error) {
      fault = error as Error;
    } finally {
      pages.isRunning = false;
    }
  };
  const isLong = () => workflowInfo().historyLength >= budget.eventsPerRun || workflowInfo().continueAsNewSuggested;
  const mayStart = ({ isDue, isRunning }: Pages) => isDue && !isRunning && !isLong();
  const isIdle = () => !messages.isRunning && !requests.isRunning;
  for (;;) {
    if (mayStart(messages)) void work(messages, steps.applySwitchMessages);
    if (mayStart(requests)) void work(requests, network.requestDueSwitches);
    await condition(() => fault !== undefined || isIdle() || mayStart(messages) || mayStart(requests));
    if (fault !== undefined) throw fault;
    if (!isIdle()) continue;
    if (isLong()) return continueAsNew<typeof requestSwitches>(input);
    if (messages.isDue || requests.isDue) continue;
    const waitSeconds = await steps.endSwitchPages(budget);
    // A signal that arrived meanwhile would be lost.
    if (messages.isDue) continue;
    if (waitSeconds === null) return;
    await condition(() => messages.isDue, Math.ceil(waitSeconds * 1_000));
    messages.isDue = true;
  }
}

function activitiesOf() {
  const { startToCloseTimeout, heartbeatTimeout, ...retry } = switchPageAttempts;
  // Tests use another queue for workflow and activities.
  const { taskQueue } = workflowInfo();
  return {
    steps: proxyActivities<SwitchSteps>({
      startToCloseTimeout: '15s',
      retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s' },
    }),
    network: proxyActivities<RequestActivities>({
      taskQueue: taskQueue === taskQueues.imports ? taskQueues.switching : taskQueue,
      startToCloseTimeout,
      heartbeatTimeout,
      retry,
      summary: 'Requests due switches',
    }),
  };
}
