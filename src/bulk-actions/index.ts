/** Public interface of bulk actions: changes of all stuck work that matches a filter. */
export { actionFor } from './bulk-action.rules.ts';
export type { BulkAction } from './bulk-action.entity.ts';
export {
  countRemaining,
  findActionsOfItem,
  findBulkAction,
  findUnfinishedBulkActions,
  listBulkActions,
} from './bulk-action.store.ts';
export { deleteOldBulkResults } from './bulk-action.store.ts';
export { readBulkResults } from './bulk-action.route.ts';
export { viewOf as viewOfBulkAction } from './bulk-action.rules.ts';
export { createBulkAction, steerBulkAction, type BulkVerb } from './steer-bulk-action.client.ts';
