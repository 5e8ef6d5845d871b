export { accountActivities, type AccountActivities } from './create-from-staged.activities.ts';
