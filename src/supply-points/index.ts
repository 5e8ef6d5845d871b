export { listErrored } from './find/batch-pages.store.ts';
export { retryDeferredNow, findDeferred, listDeferred, type DeferredLookups } from './lookup/deferred-lookup.store.ts';
export { findBatchPage } from './find/list-batches.store.ts';
export { listDeferredLookups } from './lookup/deferred-lookup.store.ts';
export type { BatchView, SupplyPointView } from './find/find-supply-points.openapi.ts';
export { findLookupLoads, type LookupLoad } from './lookup/lookup-result.store.ts';
export { temporalLookupRuns } from './lookup/lookup-runs.client.ts';
export { findBatchCounts, type BatchCounts } from './populate/population-batch.store.ts';
export { previewThrottle, setThrottle, speedIn } from './throttle/throttle.route.ts';
export type { ThrottlePreview } from './throttle/throttle.openapi.ts';
export { readSupplyPoint } from './find/find-supply-point.store.ts';
export {
  cancelBatch,
  retryBatch,
  retryLookup,
  retryLookups,
  type SteerDeps,
  type SteerOrder,
} from './steer/steer-lookups.route.ts';
export type { SupplyPointTable } from './supply-point.entity.ts';
export { findUnfinishedBatches, findUnfinishedLookups } from './populate/populate.store.ts';
export type { LookupTable } from './lookup/lookup.entity.ts';
export type { PopulationBatchTable } from './populate/population-batch.entity.ts';
