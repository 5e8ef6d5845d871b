import type { StuckSource } from '../stuck/index.ts';
import type { BulkActionKind } from '../vocabulary/bulk-actions.ts';
import { violation, type Violation } from '../vocabulary/violations.ts';
import type { CreateBulkAction } from './bulk-action.schema.ts';

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
