import { refuse, type Refused } from '../vocabulary/refusals.ts';
import type { SupplierStatus } from '../vocabulary/supplier-status.ts';

/** Refusal of a supplier that is Paused or Complete; the sentence says whether waiting helps. */
export function migrationNotOngoing(status: SupplierStatus | undefined): Refused {
  const detail =
    status === 'Complete'
      ? 'The migration of this import supplier is complete; ask the operators if more must come.'
      : 'The migration of this import supplier is paused; send the request again when the operators have resumed it.';
  return refuse('import_supplier_migration_not_ongoing', { detail });
}

/**
 * Explains why nothing was found for an import supplier. Operators look for suppliers' data with their own key; only they are
 * shown that the key itself does not see any.
 * @param sentence the message for every other key
 */
export function explainUnknownSupplier({ role }: { role: string }, sentence: string): string {
  return role === 'operator'
    ? `${sentence} This is an operator's key: suppliers' lists need a supplier's key, or one that has this import supplier in its scope.`
    : sentence;
}
