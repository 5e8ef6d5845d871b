import type { NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';

/** The statuses of a batch. */
export const batchStatuses = ['IN_PROGRESS', 'COMPLETED', 'CANCELLED'] as const;
export type BatchStatus = (typeof batchStatuses)[number];

/** Counts of a batch at one network operator; imported, errored and pending add up to accepted. */
export interface OperatorProgress {
  networkOperator: NetworkOperatorName;
  accepted: number;
  imported: number;
  errored: number;
  pending: number;
  /** Outcomes per second, recently. */
  ratePerSecond: number;
}

type Part = 'accepted' | 'imported' | 'pending' | 'errored';

/** Counts of a batch as the API shows them: by state, and by the lists of the request. */
export type CountsOfBatch = Record<Part, { prm_ids: number; pce_ids: number }>;

/** Groups the progress of a batch as the API shows it. */
export function countsOf(progress: readonly OperatorProgress[]): CountsOfBatch {
  const at = (name: NetworkOperatorName, part: Part) =>
    progress.find(({ networkOperator }) => networkOperator === name)?.[part] ?? 0;
  const byList = (part: Part) => ({ prm_ids: at('enedis', part), pce_ids: at('grdf', part) });
  return {
    accepted: byList('accepted'),
    imported: byList('imported'),
    pending: byList('pending'),
    errored: byList('errored'),
  };
}

/** Outcomes per second at both network operators, rounded to two decimals. */
export function ratePerSecond(progress: readonly OperatorProgress[]): number {
  return Math.round(progress.reduce((sum, one) => sum + (one.pending > 0 ? one.ratePerSecond : 0), 0) * 100) / 100;
}

/** When the slower network operator will finish at its current rate; undefined while the rate is 0. */
export function estimatedEnd(progress: readonly OperatorProgress[], now: number): Date | undefined {
  const waiting = progress.filter(({ pending }) => pending > 0);
  if (waiting.length === 0 || waiting.some((one) => one.ratePerSecond < 0.000_1)) return undefined;
  return new Date(now + Math.max(...waiting.map((one) => one.pending / one.ratePerSecond)) * 1_000);
}

/** The response for a batch that does not exist or belongs to another organisation. */
export function unknownBatch(): Refused {
  return refuse('not_found', { detail: 'There is no population batch with this id.' });
}

/** Column values that make a lookup pending again. */
export const PENDING_AGAIN = {
  state: 'pending',
  errored_reason: null,
  tries: 0,
  deferred_at: null,
  due_at: null,
  completed_at: null,
} as const;

/** Deferred lookups of one network operator or one batch, for the details of its run. */
export interface DeferredSummary {
  /** At most 1,000. */
  count: number;
  nextAttemptAt: string;
  /** The most frequent failure. */
  cause: string;
}
