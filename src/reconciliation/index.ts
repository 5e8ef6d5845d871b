/** Public interface of reconciliation, which compares stored with accepted data. */
export { compareAccounts, type ReconciledAccount } from './compare/compare-accounts.store.ts';
export { hashesOfStatement } from './compare/accepted-forms.schema.ts';
export { hashAccepted } from './compare/kept-hashes.store.ts';
export type { AccountBalance } from './balances.store.ts';
export { followCertificateKeys, type CertificateKeys, type CurrentCertificateKeys } from './certificate-key.client.ts';
export { findUnfinishedReconciliations } from './reconciliation.store.ts';
export { startReconciliationAsOperator } from './create-reconciliation.route.ts';
export {
  SCANNED_MAX,
  countByPath,
  findDifferences,
  readDifferenceValues,
  type ListedDifference,
  type PathCount,
} from './difference.store.ts';
export {
  readCertificate,
  readOpeningBalances,
  readReconciliation,
  type SignedCertificate,
  readReconciliations,
} from './find-reconciliation.route.ts';
