/** Public interface of stuck work. */
export { countStuck, readBacklog, readDueWorkView } from './count-stuck.store.ts';
export { createStuckWork, invalidCursor, readCursor, unlessAway, type StuckWork } from './list-stuck.client.ts';
export { retrySelected, type RetryCounts } from './retry-by-operator.client.ts';
export { findRetry } from './retry-stuck.client.ts';
export {
  countStuckItems,
  findStuckItems,
  listIdOf,
  sourceOfCause,
  type StuckFilter,
  type StuckGroupRow,
  type StuckItem,
  type StuckItemPosition,
  type StuckSource,
} from './stuck-items.store.ts';
export { accountsIn, type ConcernedAccount } from './open-run.client.ts';
export { adviceForFailure } from './stuck-advice.rules.ts';
