import type { NetworkOperatorName } from '../vocabulary/network-operators.ts';

/** What is reckoned with of a batch at one network operator. */
interface Progress {
  networkOperator: NetworkOperatorName;
  accepted: number;
  imported: number;
  errored: number;
  pending: number;
  ratePerSecond: number;
}

/** Counts by the lists of the request. */
export interface CountsByList {
  prm_ids: number;
  pce_ids: number;
}

/** Counts of a batch as the API shows them. */
export function countsByList(
  progress: readonly Progress[],
  part: 'accepted' | 'imported' | 'pending' | 'errored',
): CountsByList {
  const of = (name: NetworkOperatorName) =>
    progress.find(({ networkOperator }) => networkOperator === name)?.[part] ?? 0;
  return { prm_ids: of('enedis'), pce_ids: of('grdf') };
}

/** Outcomes a second over both network operators, to two places. */
export function ratePerSecond(progress: readonly Progress[]): number {
  return Math.round(progress.reduce((sum, one) => sum + (one.pending > 0 ? one.ratePerSecond : 0), 0) * 100) / 100;
}

/** When the slower network operator will be through at its present rate; undefined while that cannot be told. */
export function estimatedEnd(progress: readonly Progress[], now: number): Date | undefined {
  const waiting = progress.filter(({ pending }) => pending > 0);
  if (waiting.length === 0 || waiting.some((one) => one.ratePerSecond < 0.000_1)) return undefined;
  return new Date(now + Math.max(...waiting.map((one) => one.pending / one.ratePerSecond)) * 1_000);
}
