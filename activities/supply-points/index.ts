export { lookUpActivities, type LookUpActivities } from './look-up-page.activities.ts';
export type { PageInput, PageResult } from './work-off-page.activities.ts';
export { supplyPointActivities, type SupplyPointActivities } from './steps.activities.ts';
