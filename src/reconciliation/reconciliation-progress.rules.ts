import type { ReconciliationStatus } from '../vocabulary/reconciliation.ts';

/** The progress of a reconciliation, for its run. */
export interface ReconciliationProgress {
  status: ReconciliationStatus;
  accounts: number;
  businesses: number;
  different: number;
  /** Payment instructions that vendors were queried about; `toAsk` counts pending ones. Both omitted if there are none. */
  asked?: number;
  toAsk?: number;
}

/** Describes a reconciliation for the web UI of Temporal. */
export function describeReconciliation({
  status,
  accounts,
  businesses,
  different,
  asked,
  toAsk = 0,
}: ReconciliationProgress): string {
  const compared = [
    `${accounts} accounts and ${businesses} businesses compared, ${different} differ.`,
    ...(asked === undefined
      ? []
      : [`Vendors were queried about ${asked} payment instructions${toAsk === 0 ? '' : `; ${toAsk} are pending`}.`]),
  ].join(' ');
  if (status === 'RUNNING') return `${compared} Nothing is to be done.`;
  return status === 'COMPLETED' ? `${compared} Its certificate can be fetched.` : `Cancelled. ${compared}`;
}
