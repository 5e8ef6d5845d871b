export { askSetAsideNow, findSetAside, type SetAsideLookUps } from './deferred-look-up.store.ts';
