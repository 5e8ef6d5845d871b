import { workflowIds } from '../../temporal.config.ts';
import { bulkOutcomes, type BulkOutcome } from '../vocabulary/bulk-actions.ts';
import { membersOf } from '../vocabulary/value-sets.ts';
import type { BulkAction } from './bulk-action.entity.ts';
import type { BulkActionView } from './bulk-action.schema.ts';

/** A bulk action as operators see it. */
export function viewOf(action: BulkAction): BulkActionView {
  const { cause, party, importSupplier, waveId, before } = action.filter;
  return {
    bulk_action_id: action.id,
    action: action.action,
    filter: {
      cause: cause ?? null,
      party: party ?? null,
      import_supplier: importSupplier ?? null,
      wave_id: waveId ?? null,
      stuck_before: before ?? action.createdAt.toISOString(),
    },
    decision: action.parameters.decision ?? null,
    to_import_supplier: action.parameters.to_import_supplier ?? null,
    status: action.status,
    requested_by: action.requestedBy,
    reason: action.reason,
    matched: action.matched,
    handled: action.handled,
    outcomes: Object.fromEntries(
      membersOf(bulkOutcomes).map((outcome) => [outcome, action.outcomes[outcome] ?? 0]),
    ) as Record<BulkOutcome, number>,
    created_at: action.createdAt.toISOString(),
    ended_at: action.endedAt?.toISOString() ?? null,
    workflow_id: workflowIds.bulkAction(action.id),
  };
}
