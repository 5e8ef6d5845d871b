import type { ValueSet } from './value-sets.ts';

/** Whether accounts of an import supplier may be staged and created. */
export const supplierStatuses = {
  /** New accounts are accepted. */
  Ongoing: 'specified',
  /** Accounts are refused for now; more are expected. */
  Paused: 'specified',
  /** Accounts are refused; no more are expected. */
  Complete: 'specified',
} as const satisfies ValueSet;

export type SupplierStatus = keyof typeof supplierStatuses;
