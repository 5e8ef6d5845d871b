import type { ClosedValueSets } from './closed-value-set.rules.ts';
import type { KnownSupplier } from './supplier-directory.store.ts';

/** The describing sets that operators have closed for a supplier: option `closed_value_sets`. */
export function closedValueSetsOf(supplier: KnownSupplier | undefined): ClosedValueSets | undefined {
  return supplier?.options['closed_value_sets'] as ClosedValueSets | undefined;
}

/** Whether operators want each document path of a supplier to be looked up before it is taken: option `check_documents`. */
export function checksDocuments(supplier: KnownSupplier): boolean {
  return supplier.options['check_documents'] === true;
}
