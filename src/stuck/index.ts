/** Public interface of stuck work. */
export { countStuck, readBacklog, readDueWorkView } from './count-stuck.store.ts';
export { createStuckWork, invalidCursor, readCursor, unlessAway, type StuckWork } from './list-stuck.client.ts';
export { retryPageOfCause, retrySelected, type RetryCounts } from './retry-by-operator.client.ts';
export { accountsIn, type ConcernedAccount } from './open-run.client.ts';
