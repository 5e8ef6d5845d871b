export { listErrored } from './find/batch-pages.store.ts';
export { askDeferredNow, findDeferred, listDeferred, type DeferredLookUps } from './look-up/deferred-look-up.store.ts';
export { findBatchPage, type BatchPage } from './find/list-batches.client.ts';
export type { BatchView } from './find/list-batches.store.ts';
export {
  listDeferredLookUps,
  type DeferredLookUpPage,
  type DeferredLookUpView,
} from './find/list-deferred-look-ups.store.ts';
export { findLookUpLoads, type LookUpLoad } from './look-up/look-up-load.store.ts';
export { temporalLookUpRuns } from './look-up/look-up-runs.client.ts';
export { findBatchCounts, type BatchCounts } from './populate/population-batch.store.ts';
export { previewThrottle, speedIn, type ThrottlePreview } from './throttle/preview-throttle.client.ts';
export { readSupplyPoint } from './find/read-supply-point.client.ts';
export type { SupplyPointView } from './find/find-supply-point.store.ts';
export {
  cancelBatch,
  retryBatch,
  retryLookUp,
  retryLookUps,
  setThrottle,
  type SteerDeps,
  type SteerOrder,
} from './steer/steer-look-ups.client.ts';
export type { SupplyPointTable } from './supply-point.entity.ts';
export { findAskingBatches, findAskingLookUps } from './populate/asking-batches.store.ts';
