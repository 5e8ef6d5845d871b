/** The door of businesses: what accounts need of business contracts, the operations that import jobs repeat, and what operators see. */
export { lockNamedContracts } from './business-contract.store.ts';
export { createBusinessContracts } from './create-business-contracts.route.ts';
export { createBusiness } from './create-business.route.ts';
export { readBusiness } from './read-business.store.ts';
