import type { StuckSource } from '../stuck/index.ts';
import { type BulkActionKind, bulkOutcomes, type BulkOutcome } from '../vocabulary/bulk-actions.ts';
import { violation, type Violation } from '../vocabulary/violations.ts';
import type { CreateBulkAction, BulkActionView } from './bulk-action.schema.ts';
import { workflowIds } from '../../temporal.config.ts';
import { membersOf } from '../vocabulary/value-sets.ts';
import type { BulkAction } from './bulk-action.entity.ts';

/** The stuck work that an action can change. */
interface ActionScope {
  /** Worked off in this order. */
  sources: readonly StuckSource[];
  kinds?: readonly string[];
}

export const scopeOf: Record<BulkActionKind, ActionScope> = {
  retry: { sources: ['work', 'deferred'] },
  retry_lookups: { sources: ['deferred', 'errored'] },
  skip: { sources: ['work'], kinds: ['create-account'] },
  cancel: { sources: ['work'], kinds: ['import-job', 'populate-supply-points'] },
  dismiss: { sources: ['messages'] },
  assign: { sources: ['messages'] },
  decide: { sources: ['claims'] },
};

/** The action for stuck work with a cause; undefined if there is none for it. */
export function actionFor(source: StuckSource): BulkActionKind {
  if (source === 'messages') return 'dismiss';
  return source === 'claims' ? 'decide' : 'retry';
}

/** Checks that an action has exactly its own parameters. */
export function parameterRules({ action, decision, to_import_supplier: supplier }: CreateBulkAction): Violation[] {
  const found: Violation[] = [];
  if (action === 'decide' && decision === undefined) found.push(violation('required', ['decision']));
  if (action === 'assign' && supplier === undefined) found.push(violation('required', ['to_import_supplier']));
  if (action !== 'decide' && decision !== undefined) {
    found.push(violation('invalid', ['decision'], 'Only the action `decide` has a decision.'));
  }
  if (action !== 'assign' && supplier !== undefined) {
    found.push(violation('invalid', ['to_import_supplier'], 'Only the action `assign` has a target.'));
  }
  return found;
}

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
