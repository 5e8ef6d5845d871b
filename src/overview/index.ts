/** Public interface of the overview. */
export { createOverview, type OverviewReader } from './read-overview.client.ts';
