import { defineSearchAttributeKey } from '@temporalio/common';
import {
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  patched,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { SwitchActivities } from '../../activities/switching/index.ts';
import { wakeSignalOfKind, switchBudget, taskQueues, type SwitchBudget } from '../../temporal.config.ts';

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
/** No timer is set for longer; the run then looks again. */
const TIMER_MS_MAX = 30 * 86_400_000;

/**
 * The industry switch of one account, from the day on which it is due until all points are COMPLETED or REJECTED, which
 * takes weeks. What was said and what follows from it stand in Postgres; the run only decides when to look,
 * asks the operator and waits. So it may be lost, begun again or begun twice without anything being forgotten.
 */
export async function switchSupplier(input: SwitchInput): Promise<SwitchEnd> {
  const { budget = switchBudget } = input;
  const { own, operator } = activitiesOf(budget);
  let news = 0;
  setHandler(wake, () => {
    news += 1;
  });
  for (;;) {
    if (workflowInfo().historyLength >= budget.historyLengthMax || workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof switchSupplier>(input);
    }
    news = 0;
    const next = await own.takeSwitchStep(input);
    switch (next.kind) {
      case 'settled':
      case 'rest':
        // News that came while the step was taken may not have been seen by it.
        if (news > 0) break;
        return next.kind === 'rest' ? 'rests' : 'settled';
      case 'send':
        show(
          'SENDING',
          'The network operator is asked for the switch. If the pending activity fails, its last failure says why; it is tried again for a week.',
        );
        if (
          await send(
            () => operator.sendSwitchRequests(input),
            () => news > 0,
          )
        ) {
          break;
        }
        await own.noteSwitchUnreachable(input);
        if (news > 0) break;
        return 'unreachable';
      case 'wait':
        show(
          'WAITING',
          'The switch is under way at the network operator. The next market message goes on with it; nothing is to be done.',
        );
        await wait(
          next.forMs,
          () => news > 0,
          budget.silenceMs,
          () => own.noteSwitchSilence(input),
        );
        break;
    }
  }
}

/** Sends until it is done or until there is news, which may make it needless. False when the budget is spent. */
async function send(ask: () => Promise<void>, isSignalled: () => boolean): Promise<boolean> {
  const scope = new CancellationScope();
  try {
    await scope.run(() => Promise.race([ask(), condition(isSignalled)]));
    return true;
  } catch (error) {
    // Somebody cancels the run itself.
    if (isCancellation(error)) throw error;
    return false;
  } finally {
    scope.cancel();
  }
}

/** Waits for news, or until a request is due; when the operator says nothing for too long, operators are told and the wait goes on. */
async function wait(
  forMs: number | undefined,
  isSignalled: () => boolean,
  silenceMs: number,
  noteSilence: () => Promise<void>,
): Promise<void> {
  const untilDue = (passedMs: number) =>
    forMs === undefined
      ? condition(isSignalled)
      : condition(isSignalled, Math.min(Math.max(forMs - passedMs, 0), TIMER_MS_MAX));
  // Runs that were waiting when the limit on silence came have no timer for it: they go on as they began, until their next news.
  if (!patched('limit-on-silence') || (forMs !== undefined && forMs <= silenceMs)) return void (await untilDue(0));
  if (await condition(isSignalled, silenceMs)) return;
  await noteSilence();
  await untilDue(silenceMs);
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
    operator: proxyActivities<SwitchActivities>({
      taskQueue,
      startToCloseTimeout,
      scheduleToCloseTimeout,
      ...(heartbeatTimeout === undefined ? {} : { heartbeatTimeout }),
      retry: { initialInterval, backoffCoefficient: 2, maximumInterval },
      summary: 'Asks the network operator for the switch',
    }),
  };
}
