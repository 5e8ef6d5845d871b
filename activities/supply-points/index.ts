export { lookupActivities, type LookupActivities } from './lookup-page.activities.ts';
export type { PageInput, PageResult } from './work-off-page.activities.ts';
export { supplyPointActivities, type SupplyPointActivities } from './steps.activities.ts';
