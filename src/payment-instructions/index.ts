/** Public interface of payment instructions; import jobs use the same operation. */
export {
  createPaymentInstruction,
  validatePaymentInstruction,
  type PaymentInstructionDeps,
} from './create-payment-instruction.route.ts';
export { watchPausedVendors, type PausedVendors } from './payment-vendor-rest.store.ts';
export { findUnfinishedVerifications } from './request-verification.store.ts';
