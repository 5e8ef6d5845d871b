import type { NetworkOperatorName } from '../vocabulary/network-operators.ts';

/** What is reckoned with of a batch's part at one operator. */
interface Share {
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

/** Counts of a batch's parts as the interface shows them. */
export function countsByList(
  shares: readonly Share[],
  part: 'accepted' | 'imported' | 'pending' | 'errored',
): CountsByList {
  const of = (name: NetworkOperatorName) => shares.find(({ networkOperator }) => networkOperator === name)?.[part] ?? 0;
  return { prm_ids: of('enedis'), pce_ids: of('grdf') };
}

/** Outcomes a second over both operators, to two places. */
export function ratePerSecond(shares: readonly Share[]): number {
  return Math.round(shares.reduce((sum, share) => sum + (share.pending > 0 ? share.ratePerSecond : 0), 0) * 100) / 100;
}

/** When the slower operator will be through at its present rate; undefined while that cannot be told. */
export function estimatedEnd(shares: readonly Share[], now: number): Date | undefined {
  const waiting = shares.filter(({ pending }) => pending > 0);
  if (waiting.length === 0 || waiting.some((share) => share.ratePerSecond < 0.000_1)) return undefined;
  return new Date(now + Math.max(...waiting.map((share) => share.pending / share.ratePerSecond)) * 1_000);
}
