export { askSetAsideNow, findSetAside, type SetAsideLookUps } from './set-aside.store.ts';
