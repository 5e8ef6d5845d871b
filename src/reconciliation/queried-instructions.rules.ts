import { findPaymentInstructionViolations } from '../payment-instructions/payment-instruction.rules.ts';
import type { DifferenceKind, NotQueriedReason } from '../vocabulary/reconciliation.ts';
import { membersOf, paymentInstructionTypes, paymentVendors, type PaymentVendor } from '../vocabulary/value-sets.ts';
import type { QueriedVendor, Tally } from './tally.rules.ts';

/** A vendor's response about an instruction. */
export type VendorOutcome = { kind: 'usable' } | { kind: 'different'; answer: string };

/** The properties that decide whether an instruction is queried. */
export interface QueryableInstruction {
  vendor: string;
  type: string;
  isVerified: boolean;
}

/** Instructions in force with the same properties. */
export interface CountedInstructions extends QueryableInstruction {
  count: number;
  /** Verified instructions that differ from what their vendor verified. */
  unlikeVerification: number;
}

/** Finds the vendor of an instruction in an account payload, in any case. @returns undefined if the vendor is unknown or does not have this type */
function vendorOf({ vendor, type }: QueryableInstruction): PaymentVendor | undefined {
  const name = vendor.toUpperCase();
  if (!membersOf(paymentInstructionTypes).some((known) => known === type)) return undefined;
  if (findPaymentInstructionViolations({ vendor: name, type }).length > 0) return undefined;
  return membersOf(paymentVendors).find((known) => known === name);
}

/** The vendor to query about an instruction. A supplier's reconciliation queries only verified instructions. */
export function queriedVendorOf(instruction: QueryableInstruction, isOfOperator: boolean): PaymentVendor | undefined {
  return instruction.isVerified || isOfOperator ? vendorOf(instruction) : undefined;
}

/** The kind of difference that a vendor's response means: the vendor does not know the instruction, or has it in another state. */
export function kindOfAnswer(answer: string): DifferenceKind {
  return answer === 'not_found' ? 'missing' : 'changed';
}

/** The name under which instructions of unknown vendors are counted. */
const OTHER = 'OTHER';

function countsOf(tally: Tally, vendor: PaymentVendor | undefined): QueriedVendor {
  return (tally.vendors[vendor ?? OTHER] ??= { in_force: 0, asked: 0, usable: 0, different: 0, not_asked: {} });
}

function countNotQueried({ not_asked: reasons }: QueriedVendor, reason: NotQueriedReason, count: number): void {
  if (count > 0) reasons[reason] = (reasons[reason] ?? 0) + count;
}

/** Counts instructions in force of compared accounts, and those of them that are never queried. */
export function countInForce(tally: Tally, found: readonly CountedInstructions[], isOfOperator: boolean): void {
  for (const { count, unlikeVerification, ...instruction } of found) {
    if (instruction.isVerified) tally.parties.payment_instructions_in_force += count;
    tally.parties.payment_instructions_unlike_verification += unlikeVerification;
    const vendor = vendorOf(instruction);
    const counts = countsOf(tally, vendor);
    counts.in_force += count;
    if (vendor === undefined) countNotQueried(counts, 'unknown_vendor', count);
    else if (queriedVendorOf(instruction, isOfOperator) === undefined) countNotQueried(counts, 'not_verified', count);
  }
}

/** Counts one response. */
export function countAnswer(tally: Tally, vendor: PaymentVendor, { kind }: VendorOutcome): void {
  const counts = countsOf(tally, vendor);
  counts.asked += 1;
  counts[kind] += 1;
}

/** Pending instructions of a vendor. */
function waiting(counts: QueriedVendor): number {
  return Math.max(0, counts.in_force - doneWith(counts));
}

function doneWith({ asked, not_asked: reasons }: QueriedVendor): number {
  return Object.values(reasons).reduce((sum, count) => sum + count, asked);
}

/** Queries that vendors answered. */
export function countAnswered({ vendors }: Tally): number {
  return Object.values(vendors).reduce((sum, { asked }) => sum + asked, 0);
}

/** Pending queries of all vendors, for the accounts compared so far. */
export function countPendingQueries(tally: Tally): number {
  return membersOf(paymentVendors).reduce((sum, vendor) => sum + pendingQueriesOf(tally, vendor), 0);
}

/** Pending queries of one vendor, for the accounts compared so far. */
export function pendingQueriesOf({ vendors, progress }: Tally, vendor: PaymentVendor): number {
  const counts = vendors[vendor];
  const { hasEnded, left = Infinity } = progress[vendor] ?? {};
  return counts === undefined || hasEnded ? 0 : Math.min(waiting(counts), left);
}

/** Vendors with queries that can be sent now. */
export function vendorsToQuery(tally: Tally): PaymentVendor[] {
  return membersOf(paymentVendors).filter((vendor) => {
    if (tally.compared_at === undefined) return pendingQueriesOf(tally, vendor) > 0;
    const counts = tally.vendors[vendor];
    // Instructions may have changed since they were counted, so all are scanned.
    const isPending = counts !== undefined && (waiting(counts) > 0 || tally.progress[vendor] !== undefined);
    return isPending && tally.progress[vendor]?.hasEnded !== true;
  });
}

/**
 * Ends the queries to a vendor after the comparison.
 * @param reason why pending instructions are not queried; undefined if all were queried: the remaining ones have been replaced
 */
export function endVendor(tally: Tally, vendor: PaymentVendor, reason: NotQueriedReason | undefined): void {
  const counts = countsOf(tally, vendor);
  if (reason !== undefined) countNotQueried(counts, reason, waiting(counts));
  counts.in_force = doneWith(counts);
  tally.progress[vendor]!.hasEnded = true;
}

/** The results by vendor, for responses and certificates. */
export function viewVendors({ vendors }: Tally) {
  return Object.entries(vendors)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([vendor, { not_asked: reasons, ...counts }]) => ({
      vendor,
      ...counts,
      not_asked: Object.entries(reasons).map(([reason, instructions]) => ({ reason, instructions })),
    }));
}
