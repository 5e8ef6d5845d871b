export { createAccount } from './account-import/create-account.workflow.ts';
export { createAccounts } from './account-import/create-accounts.workflow.ts';
export { verifyPaymentInstruction } from './payment-instructions/verify-payment-instruction.workflow.ts';
export { switchSupplier } from './switching/switch-supplier.workflow.ts';
export { lookUpSupplyPoints } from './supply-points/look-up-supply-points.workflow.ts';
export { populateSupplyPoints } from './supply-points/populate-supply-points.workflow.ts';
export { importJob } from './import-jobs/import-job.workflow.ts';
export { reconcile } from './reconciliation/reconcile.workflow.ts';
