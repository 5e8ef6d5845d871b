import { continueAsNew, isCancellation, proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { DeliveryActivities, DeliverySteps } from '../../activities/events/deliver-events.activities.ts';
import { deliveryBudget, deliveryPace, retryDetails, type DeliveryBudget, taskQueues } from '../../temporal.config.ts';

/** The endpoint; keys only. */
export interface DeliveryInput {
  endpointId: string;
  importSupplier: string;
  /** Set in tests only. */
  budget?: DeliveryBudget;
}

const { startToCloseTimeout: stepTimeout, ...stepRetry } = deliveryPace.step;
const { noteReceiverUnreachable } = proxyActivities<DeliverySteps>({
  startToCloseTimeout: stepTimeout,
  retry: stepRetry,
});

/**
 * Delivers events to one endpoint until none is left. The progress is stored in Postgres. If the run is lost or started twice, the
 * receiver gets some events again, with the same id.
 * @returns how it ended; `unreachable`: the receiver has failed for a day, and is retried a day later
 */
export async function deliverEvents(input: DeliveryInput): Promise<'done' | 'ended' | 'unreachable'> {
  const { startToCloseTimeout, scheduleToCloseTimeout, heartbeatTimeout, ...retry } = (input.budget ?? deliveryBudget)
    .deliver as Record<Exclude<keyof DeliveryBudget['deliver'], 'backoffCoefficient'>, '1m'> & {
    backoffCoefficient: number;
  };
  const { deliverSomeEvents } = proxyActivities<DeliveryActivities>({
    taskQueue: taskQueues.events,
    startToCloseTimeout,
    scheduleToCloseTimeout,
    heartbeatTimeout,
    retry,
  });
  setCurrentDetails(`Delivers events to one endpoint. ${retryDetails} No event is lost for 30 days.`);
  for (let rounds = 0; rounds < deliveryPace.roundsPerRun; rounds += 1) {
    try {
      const progress = await deliverSomeEvents(input.endpointId);
      if (progress !== 'more') return progress;
    } catch (error) {
      if (isCancellation(error)) throw error;
      await noteReceiverUnreachable(input.endpointId);
      return 'unreachable';
    }
  }
  return continueAsNew<typeof deliverEvents>(input);
}
