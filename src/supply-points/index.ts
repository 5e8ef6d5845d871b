export { listErrored } from './batch-pages.store.ts';
export { askDeferredNow, findDeferred, listDeferred, type DeferredLookUps } from './deferred-look-up.store.ts';
export { findBatchPage, type BatchPage } from './list-batches.client.ts';
export type { BatchView } from './list-batches.store.ts';
export { listSetAside, type SetAsidePage, type SetAsideView } from './list-set-aside.store.ts';
export { findLookUpLoads, type LookUpLoad } from './look-up-load.store.ts';
export { temporalLookUpRuns } from './look-up-runs.client.ts';
export { findBatchCounts, type BatchCounts } from './population-batch.store.ts';
export { previewThrottle, speedIn, type ThrottlePreview } from './preview-throttle.client.ts';
export { readSupplyPoint } from './read-supply-point.client.ts';
export type { SupplyPointView } from './find-supply-point.store.ts';
export {
  cancelBatch,
  retryBatch,
  retryLookUp,
  retryLookUps,
  setThrottle,
  type SteerDeps,
  type SteerOrder,
} from './steer-look-ups.client.ts';
export type { SupplyPointTable } from './supply-point.entity.ts';
