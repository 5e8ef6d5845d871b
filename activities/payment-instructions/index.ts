export {
  vendorActivities,
  completingActivities,
  type PaymentInstructionActivities,
} from './verify-payment-instruction.activities.ts';
