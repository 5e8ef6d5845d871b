/** Public interface of the support site. */
export { createSite } from './site.ts';
export { buildPages } from './pages.ts';
