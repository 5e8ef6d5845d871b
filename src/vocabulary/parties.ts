import { networkOperators } from './network-operators.ts';
import { paymentVendors, type PaymentVendor } from './value-sets.ts';

/** Outside parties that workers call, by their name in metrics, logs and pages. */
export const parties = [
  ...networkOperators,
  'industry-switch',
  ...(Object.keys(paymentVendors) as PaymentVendor[]),
] as const;

export type PartyName = (typeof parties)[number];
