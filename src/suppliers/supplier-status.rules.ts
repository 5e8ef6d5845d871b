import { refuse, type Refused } from '../vocabulary/refusals.ts';
import type { SupplierStatus } from '../vocabulary/supplier-status.ts';

/** Refusal for a supplier that is Paused or Complete. The detail says whether waiting helps. */
export function migrationNotOngoing(status: SupplierStatus | undefined): Refused {
  const detail =
    status === 'Complete'
      ? 'The migration of this import supplier is complete. Ask the operators if more data must be imported.'
      : 'The migration of this import supplier is paused. Send the request again when the operators have resumed it.';
  return refuse('import_supplier_migration_not_ongoing', { detail });
}

/**
 * Explains why nothing was found for an import supplier. With an operator's key the message says that it sees no suppliers' data.
 * @param sentence the message for all other keys
 */
export function explainUnknownSupplier({ role }: { role: string }, sentence: string): string {
  return role === 'operator'
    ? `${sentence} This is an operator's key: suppliers' lists need a supplier's key, or one that has this import supplier in its scope.`
    : sentence;
}
