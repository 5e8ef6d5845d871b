import { setOf } from './value-sets.ts';

/** Whether accounts of an import supplier may be staged and created: accepted, refused for now, or refused for good. */
export const supplierStatuses = setOf('specified', ['Ongoing', 'Paused', 'Complete']);

export type SupplierStatus = keyof typeof supplierStatuses;
