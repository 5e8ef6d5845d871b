import type { DifferenceKind, DifferenceReason } from '../vocabulary/reconciliation.ts';

/** What a reconciliation has counted so far; sums of money and of hashes as texts, first of what was accepted, then of what is stored. */
export interface Tally {
  accounts: number;
  /** Those of the accounts that cannot be compared, because what was accepted is kept no longer; not in tallies of earlier versions. */
  without_copy?: number;
  businesses: number;
  /** Accounts and businesses that differ without a reason. */
  different: number;
  values: number;
  /** Without a reason. */
  differences: Record<DifferenceKind, number>;
  /** With a reason. */
  reasons: Partial<Record<DifferenceReason, number>>;
  parties: Parties;
  sums: Record<string, [accepted: string, stored: string]>;
  hashes: Record<string, [accepted: string, stored: string]>;
}

/** How far outside parties have what we think. */
export interface Parties {
  payment_instructions_in_force: number;
  /** Those of them that are not what their vendor has verified. */
  payment_instructions_unlike_verification: number;
  supply_points: number;
  switches_asked: number;
  /** Points for which the industry switch was asked more often than it was begun. */
  switches_asked_too_often: number;
}

/** A tally of nothing. */
export function emptyTally(): Tally {
  return {
    accounts: 0,
    without_copy: 0,
    businesses: 0,
    different: 0,
    values: 0,
    differences: { changed: 0, missing: 0, extra: 0 },
    reasons: {},
    parties: {
      payment_instructions_in_force: 0,
      payment_instructions_unlike_verification: 0,
      supply_points: 0,
      switches_asked: 0,
      switches_asked_too_often: 0,
    },
    sums: {},
    hashes: {},
  };
}

/** Places behind the point with which money is added up. */
const PLACES = 12;

/** Adds a decimal as it is compared (`plainDecimal`) to one. */
export function addDecimal(sum: string, value: string): string {
  const total = (scaled(sum) + scaled(value)).toString();
  const sign = total.startsWith('-') ? '-' : '';
  const digits = total.slice(sign.length).padStart(PLACES + 1, '0');
  const places = digits.slice(-PLACES).replace(/0+$/, '');
  return `${sign}${digits.slice(0, -PLACES)}${places === '' ? '' : `.${places}`}`;
}

function scaled(value: string): bigint {
  const [whole = '0', places = ''] = value.split('.');
  return BigInt(whole + places.slice(0, PLACES).padEnd(PLACES, '0'));
}
