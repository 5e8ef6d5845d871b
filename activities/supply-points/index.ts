export { lookUpActivities, type LookUpActivities, type PageInput, type PageResult } from './look-up-page.activities.ts';
export { supplyPointActivities, type SupplyPointActivities } from './steps.activities.ts';
