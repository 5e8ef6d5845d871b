/** The door of reconciliation: whether what stands is what was accepted. */
export { compareAccounts, type ReconciledAccount } from './compare/compare-accounts.store.ts';
export { hashesOfStatement } from './compare/read-stored.store.ts';
export { hashAccepted } from './compare/kept-hashes.store.ts';
export { followCertificateKeys } from './certificate-key.client.ts';
export { findAskingReconciliations } from './asking-reconciliations.store.ts';
