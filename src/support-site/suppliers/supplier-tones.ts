import type { SupplierStatus } from '../../vocabulary/supplier-status.ts';

/** The color of each status of an import supplier. */
export const SUPPLIER_TONES = { Ongoing: 'good', Paused: 'warn', Complete: 'plain' } as const satisfies Record<
  SupplierStatus,
  string
>;
