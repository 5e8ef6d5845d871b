import { networkOperators } from './network-operators.ts';
import { paymentVendors, type PaymentVendor } from './value-sets.ts';

/** The outside parties that workers call, by the name that metrics, logs and operators read. */
export const parties = [
  ...networkOperators,
  'industry-switch',
  ...(Object.keys(paymentVendors) as PaymentVendor[]),
] as const;

export type PartyName = (typeof parties)[number];
