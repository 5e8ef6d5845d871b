import { Big } from 'big.js';
import type { DifferenceKind, DifferenceReason, NotQueriedReason } from '../vocabulary/reconciliation.ts';
import { addHashOf, addWords, completeSums, digitsOf, sumIn } from './compare/sha256.rules.ts';

/** The counts of a reconciliation so far. Sums of money and of hashes are strings, of the accepted and the stored values. */
export interface Tally {
  accounts: number;
  /** Accounts that cannot be compared, because their payload was deleted without hashes. */
  without_copy: number;
  /** Accounts that were compared with the stored hashes of their payload. */
  by_hashes: number;
  /** Accounts that a job created and that were withdrawn; they are not compared. */
  withdrawn: number;
  businesses: number;
  /** Accounts and businesses that differ without a reason. */
  different: number;
  values: number;
  /** Without a reason. */
  differences: Record<DifferenceKind, number>;
  /** With a reason. */
  reasons: Partial<Record<DifferenceReason, number>>;
  parties: Parties;
  /** By payment vendor. */
  vendors: Record<string, QueriedVendor>;
  /** How far each payment vendor was queried. */
  progress: Record<string, VendorProgress>;
  /** When the last account and business was compared. Queries to vendors may continue. */
  compared_at?: string;
  sums: Record<string, [accepted: string, stored: string]>;
  /** Opening balances by transactions. */
  balances: {
    accounts: number;
    sum: [accepted: string, stored: string];
    /** Sums of the hashes of each account's balance, like those of fields. */
    digest: [accepted: string, stored: string];
  };
  hashes: Record<string, [accepted: string, stored: string]>;
}

/** Results of a payment vendor for instructions in force. */
export interface QueriedVendor {
  /** Counted with the accounts; instructions that are in neither `asked` nor `not_asked` are pending. */
  in_force: number;
  asked: number;
  /** The vendor confirms them. */
  usable: number;
  different: number;
  not_asked: Partial<Record<NotQueriedReason, number>>;
}

/** How far a vendor was queried about the instructions in force, in the order of the accounts. */
export interface VendorProgress {
  /** The key of the account or its line in the job, and the position of the instruction. */
  after: readonly [place: string, position: number];
  /** Pages in a row without a response. */
  failures: number;
  /** Queries that the daily limit still allowed when the last responses were stored. */
  left: number;
  /** The vendor is not queried again: all instructions are done, or the others are counted as not asked. */
  hasEnded?: true;
}

/** Whether outside parties agree with our records. */
export interface Parties {
  payment_instructions_in_force: number;
  /** Instructions in force that differ from what their vendor verified. */
  payment_instructions_unlike_verification: number;
  supply_points: number;
  switches_asked: number;
  /** Points for which more switch requests were sent than switches were started. */
  switches_asked_too_often: number;
  /** Requests without a response of the network operator. */
  switches_unanswered: number;
  /** Points that the network operator accepted in more messages than switches were started. */
  switches_accepted_too_often: number;
  /** Points that the network operator moved by messages without a request of ours. */
  switches_told_without_request: number;
}

/** A tally with all counts at zero. */
export function emptyTally(): Tally {
  return {
    accounts: 0,
    without_copy: 0,
    by_hashes: 0,
    withdrawn: 0,
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
      switches_unanswered: 0,
      switches_accepted_too_often: 0,
      switches_told_without_request: 0,
    },
    vendors: {},
    progress: {},
    sums: {},
    balances: { accounts: 0, sum: ['0', '0'], digest: ['', ''] },
    hashes: {},
  };
}

/** Adds a decimal in the form in which it is compared (`plainDecimal`) to a sum. */
export function addDecimal(sum: string, value: string): string {
  return new Big(sum).plus(value).toFixed();
}

/**
 * The sum of SHA-256 digests modulo 2^256. It does not depend on their order, so pages may be added in any order, and anyone with the same
 * data computes the same sum.
 */
export interface HashSum {
  /** Adds the hash of a text. */
  addHashOf(text: string): void;
  /** Adds another sum, in hexadecimal digits. */
  addSum(digits: string): void;
  /** In hexadecimal digits. */
  toString(): string;
}

/** Continues a sum. @param from in hexadecimal digits; 0 by default */
export function hashSum(from = ''): HashSum {
  const words = sumIn(from);
  return {
    addHashOf: (text) => addHashOf(words, text),
    addSum: (digits) => addWords(words, sumIn(digits)),
    toString: () => {
      completeSums();
      return digitsOf(words);
    },
  };
}
