/** Public interface of the support site. */
export type { SiteDeps } from './frame/page.ts';
export { sitePages } from './pages.ts';
export { createSite } from './site.ts';
