/** The door of businesses: what accounts need of business contracts. */
export { lockNamedContracts, type NamedContract } from './business-contract.store.ts';
