/** The door of businesses: what accounts need of business contracts. */
export { lockNamedContracts } from './business-contract.store.ts';
