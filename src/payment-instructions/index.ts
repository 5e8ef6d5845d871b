/** The door of payment instructions: import jobs verify them as the operation does. */
export {
  createPaymentInstruction,
  judgePaymentInstruction,
  type PaymentInstructionDeps,
} from './create-payment-instruction.route.ts';
export { watchVendorRests, type VendorRestWatch } from './payment-vendor-rest.store.ts';
export { findAskingVerifications } from './asking-verifications.store.ts';
