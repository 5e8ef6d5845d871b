import { workflowIds, reconciliationBudget } from '../../temporal.config.ts';
import { membersOf, paymentVendors } from '../vocabulary/value-sets.ts';
import { questionsOpen, vendorsTold } from './asked-instructions.rules.ts';
import { pairsOf } from './certificate.rules.ts';
import type { ReconciliationRecord } from './reconciliation.store.ts';

/** A reconciliation as it is shown. */
export type ReconciliationView = ReturnType<typeof viewOfReconciliation>;

/**
 * A reconciliation as it is shown.
 * @param total created accounts that it compares in all; undefined once it has ended
 */
export function viewOfReconciliation(record: ReconciliationRecord, total: number | undefined, now: Date) {
  const { id, importSupplier, importJobId, status, tally, listed, createdAt, endedAt } = record;
  const { hashes: _hashes, vendors: _vendors, lanes: _lanes, compared_at: comparedAt, sums, ...counts } = tally;
  return {
    reconciliation_id: id,
    import_supplier: importSupplier,
    job_id: importJobId,
    status,
    counts: { without_copy: 0, by_hashes: 0, ...counts, differences_listed: listed },
    payment_vendors: vendorsTold(tally),
    accounts_in_all: total ?? null,
    estimated_end_at: total === undefined ? null : (endAtPace(record, total, now)?.toISOString() ?? null),
    sums: pairsOf(sums),
    workflow_id: workflowIds.reconcile(id),
    created_at: createdAt.toISOString(),
    compared_at: comparedAt ?? null,
    ended_at: endedAt?.toISOString() ?? null,
  };
}

/** When it ends if the other accounts take as long as those that are compared; undefined before the first. Vendors are asked meanwhile, at their own pace. */
function endAtPace(
  { tally, createdAt }: Pick<ReconciliationRecord, 'tally' | 'createdAt'>,
  total: number,
  now: Date,
): Date | undefined {
  const { accounts, compared_at: comparedAt } = tally;
  if (accounts === 0) return undefined;
  const passed = Math.max(0, now.getTime() - createdAt.getTime());
  const comparing = comparedAt === undefined ? (passed * Math.max(0, total - accounts)) / accounts : 0;
  const questions = membersOf(paymentVendors).map((vendor) => questionsOpen(tally, vendor));
  return new Date(now.getTime() + Math.max(comparing, Math.max(...questions) * reconciliationBudget.asking.spacingMs));
}
