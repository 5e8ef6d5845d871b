import { receiverFailure } from '../../activities/failures.ts';
import type { DeliveryProgress } from '../../src/events/event.rules.ts';

const fails = (): never => {
  throw receiverFailure('The receiver responded with status 503.');
};

/** The branches of the workflow of deliveries, by the results of its attempts. */
export const deliveryBranches: Record<string, (attempt: number) => DeliveryProgress> = {
  'deliver-events.done': (attempt) => (attempt === 2 ? fails() : attempt < 4 ? 'more' : 'done'),
  'deliver-events.unreachable': fails,
};
