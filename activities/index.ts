import type { taskQueues } from '../temporal.config.ts';
import { accountActivities } from './accounts/index.ts';
import { askingActivities, settlingActivities } from './payment-instructions/index.ts';
import { switchActivities, type SwitchDeps } from './switching/index.ts';

/** Builds the activities of each task queue from what they depend on. */
export function buildActivities(deps: Parameters<typeof accountActivities>[0] & Parameters<typeof askingActivities>[0] & SwitchDeps) {
  return {
    imports: { ...accountActivities(deps), ...settlingActivities(deps) },
    payments: { ...askingActivities(deps) },
    switching: { ...switchActivities(deps) },
  } satisfies Record<keyof typeof taskQueues, object>;
}
