/** Public interface of payment instructions; import jobs use the same operation. */
export { validatePaymentInstruction } from './create-payment-instruction.route.ts';
export type { PaymentInstructionTable } from './payment-instruction.entity.ts';
export { watchPausedVendors } from './payment-vendor-rest.store.ts';
export { findUnfinishedVerifications } from './request-verification.store.ts';
export { openVerificationPages, type VerificationPageDeps } from './verify-pages.client.ts';
