import { refuse, type Refused } from '../vocabulary/refusals.ts';
import type { SupplierStatus } from '../vocabulary/supplier-status.ts';

/** Refusal of a supplier that is Paused or Complete; the sentence says whether waiting helps (specification 3.3). */
export function migrationNotOngoing(status: SupplierStatus | undefined): Refused {
  const detail = status === 'Complete'
    ? 'The migration of this import supplier is complete; ask the operators if more must come.'
    : 'The migration of this import supplier is paused; send the request again when the operators have resumed it.';
  return refuse('import_supplier_migration_not_ongoing', { detail });
}
