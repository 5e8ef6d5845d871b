/** The door of businesses: what accounts need of business contracts, and the operations that import jobs repeat. */
export { lockNamedContracts } from './business-contract.store.ts';
export { createBusinessContracts } from './create-business-contracts.route.ts';
export { createBusiness } from './create-business.route.ts';
