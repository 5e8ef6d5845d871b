export { askDeferredNow, findDeferred, type DeferredLookUps } from './deferred-look-up.store.ts';
