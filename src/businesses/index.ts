/** The door of businesses: what accounts need of business contracts, the operations that import jobs repeat, and what operators see. */
export { lockNamedContracts } from './create-business.store.ts';
export { createBusinessContracts, createBusiness } from './businesses.route.ts';
export { readBusiness } from './find-business.store.ts';
