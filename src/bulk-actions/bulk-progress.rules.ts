import type { BulkActionStatus } from '../vocabulary/bulk-actions.ts';

/** The progress of a bulk action, as its run shows it. */
export interface BulkProgress {
  status: BulkActionStatus;
  matched: number;
  handled: number;
}

/** The progress in a sentence for Temporal's web UI. */
export function describeBulkAction({ status, matched, handled }: BulkProgress): string {
  return `${handled} of ${matched} items handled${status === 'PAUSED' ? '; paused' : ''}.`;
}
