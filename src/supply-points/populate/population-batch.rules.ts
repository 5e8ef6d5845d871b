import type { NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** How a batch can stand. */
export const batchStatuses = ['IN_PROGRESS', 'COMPLETED', 'CANCELLED'] as const;
export type BatchStatus = (typeof batchStatuses)[number];

/** Counts of a batch at one network operator; the three parts always add up to what was accepted. */
export interface OperatorProgress {
  networkOperator: NetworkOperatorName;
  accepted: number;
  imported: number;
  errored: number;
  pending: number;
  /** Outcomes a second, lately. */
  ratePerSecond: number;
}

/** Counts by the lists of the request. */
export interface CountsByList {
  prm_ids: number;
  pce_ids: number;
}

/** Counts of a batch as the API shows them. */
export function countsByList(
  progress: readonly OperatorProgress[],
  part: 'accepted' | 'imported' | 'pending' | 'errored',
): CountsByList {
  const of = (name: NetworkOperatorName) =>
    progress.find(({ networkOperator }) => networkOperator === name)?.[part] ?? 0;
  return { prm_ids: of('enedis'), pce_ids: of('grdf') };
}

/** Outcomes a second over both network operators, to two places. */
export function ratePerSecond(progress: readonly OperatorProgress[]): number {
  return Math.round(progress.reduce((sum, one) => sum + (one.pending > 0 ? one.ratePerSecond : 0), 0) * 100) / 100;
}

/** When the slower network operator will be through at its present rate; undefined while that cannot be told. */
export function estimatedEnd(progress: readonly OperatorProgress[], now: number): Date | undefined {
  const waiting = progress.filter(({ pending }) => pending > 0);
  if (waiting.length === 0 || waiting.some((one) => one.ratePerSecond < 0.000_1)) return undefined;
  return new Date(now + Math.max(...waiting.map((one) => one.pending / one.ratePerSecond)) * 1_000);
}

/** Tells whether a path names what can be a batch. */
export function isBatchId(text: string): boolean {
  return UUID.test(text);
}

/** Refusal of a batch that nobody knows, or that is another organisation's. */
export function unknownBatch(): Refused {
  return refuse('not_found', { detail: 'There is no population batch with this id.' });
}
