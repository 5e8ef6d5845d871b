import type { taskQueues } from '../temporal.config.ts';
import { accountActivities } from './accounts/index.ts';
import { lookUpActivities, supplyPointActivities } from './supply-points/index.ts';

/** What the activities of the queues depend on. */
export interface ActivityDeps {
  imports: Parameters<typeof accountActivities>[0];
  lookUps: Record<'enedis' | 'grdf', Parameters<typeof lookUpActivities>[0]>;
}

/** Builds the activities of each task queue from what they depend on. */
export function buildActivities(deps: ActivityDeps) {
  return {
    imports: { ...accountActivities(deps.imports), ...supplyPointActivities(deps.imports) },
    lookUpsEnedis: lookUpActivities(deps.lookUps.enedis),
    lookUpsGrdf: lookUpActivities(deps.lookUps.grdf),
  } satisfies Record<keyof typeof taskQueues, object>;
}
