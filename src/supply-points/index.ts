export { askDeferredNow, findDeferred, type DeferredLookUps } from './deferred-look-up.store.ts';
export type { SupplyPointTable } from './supply-point.entity.ts';
