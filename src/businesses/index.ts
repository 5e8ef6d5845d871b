/** Public interface of businesses: contracts for accounts, routes for import jobs, and the view for operators. */
export { lockNamedContracts } from './create-business.store.ts';
export { createBusinessContracts, createBusiness } from './businesses.route.ts';
export { readBusiness } from './find-business.store.ts';
export { listBusinesses, type ListedBusiness } from './list-businesses.store.ts';
export type { BusinessTable } from './business.entity.ts';
