export { switchActivities, type SwitchActivities, type SwitchDeps } from './switch-supplier.activities.ts';
