export {
  askingActivities,
  settlingActivities,
  type PaymentInstructionActivities,
} from './verify-payment-instruction.activities.ts';
