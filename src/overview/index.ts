/** Public interface of the overview. */
export type { Decision } from './decision.rules.ts';
export { createOverview, type OverviewForPeople, type OverviewReader } from './read-overview.client.ts';
