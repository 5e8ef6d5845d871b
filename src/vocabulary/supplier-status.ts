import type { ValueSet } from './value-sets.ts';

/** Whether an import supplier's accounts may be staged and created now. */
export const supplierStatuses = {
  /** Accepts new accounts. */
  Ongoing: 'specified',
  /** Refuses accounts for now; more are expected. */
  Paused: 'specified',
  /** Refuses accounts; no more are expected. */
  Complete: 'specified',
} as const satisfies ValueSet;

export type SupplierStatus = keyof typeof supplierStatuses;
