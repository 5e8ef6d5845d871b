import { findPaymentInstructionViolations } from '../payment-instructions/payment-instruction.rules.ts';
import type { DifferenceKind, NotAskedReason } from '../vocabulary/reconciliation.ts';
import { membersOf, paymentInstructionTypes, paymentVendors, type PaymentVendor } from '../vocabulary/value-sets.ts';
import type { QueriedVendor, Tally } from './tally.rules.ts';

/** A vendor's response about an instruction. */
export type AskedOutcome = { kind: 'usable' } | { kind: 'different'; answer: string };

/** The properties that decide whether an instruction is queried. */
export interface AskableInstruction {
  vendor: string;
  type: string;
  isVerified: boolean;
}

/** Finds the vendor of an instruction in an account payload, in any case. @returns undefined if the vendor is unknown or does not have this type */
function vendorOf({ vendor, type }: AskableInstruction): PaymentVendor | undefined {
  const name = vendor.toUpperCase();
  if (!membersOf(paymentInstructionTypes).some((known) => known === type)) return undefined;
  if (findPaymentInstructionViolations({ vendor: name, type }).length > 0) return undefined;
  return membersOf(paymentVendors).find((known) => known === name);
}

/** The vendor to query about an instruction. A supplier's reconciliation queries only verified instructions. */
export function askedVendorOf(instruction: AskableInstruction, isOfOperator: boolean): PaymentVendor | undefined {
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

function countNotAsked({ not_asked: reasons }: QueriedVendor, reason: NotAskedReason, count: number): void {
  if (count > 0) reasons[reason] = (reasons[reason] ?? 0) + count;
}

/** Counts instructions in force of compared accounts, and those of them that are never queried. */
export function countInForce(
  tally: Tally,
  found: readonly (AskableInstruction & { count: number })[],
  isOfOperator: boolean,
): void {
  for (const { count, ...instruction } of found) {
    const vendor = vendorOf(instruction);
    const counts = countsOf(tally, vendor);
    counts.in_force += count;
    if (vendor === undefined) countNotAsked(counts, 'unknown_vendor', count);
    else if (askedVendorOf(instruction, isOfOperator) === undefined) countNotAsked(counts, 'not_verified', count);
  }
}

/** Counts one response. */
export function countAsked(tally: Tally, vendor: PaymentVendor, { kind }: AskedOutcome): void {
  const counts = countsOf(tally, vendor);
  counts.asked += 1;
  counts[kind] += 1;
}

/** Pending instructions of a vendor. */
function waiting(counts: QueriedVendor): number {
  return Math.max(0, counts.in_force - gone(counts));
}

function gone({ asked, not_asked: reasons }: QueriedVendor): number {
  return Object.values(reasons).reduce((sum, count) => sum + count, asked);
}

/** Queries that vendors answered. */
export function questionsAsked({ vendors }: Tally): number {
  return Object.values(vendors).reduce((sum, { asked }) => sum + asked, 0);
}

/** Pending queries of all vendors, for the accounts compared so far. */
export function questionsToCome(tally: Tally): number {
  return membersOf(paymentVendors).reduce((sum, vendor) => sum + questionsOpen(tally, vendor), 0);
}

/** Pending queries of one vendor, for the accounts compared so far. */
export function questionsOpen({ vendors, progress }: Tally, vendor: PaymentVendor): number {
  const counts = vendors[vendor];
  const { hasEnded, left = Infinity } = progress[vendor] ?? {};
  return counts === undefined || hasEnded ? 0 : Math.min(waiting(counts), left);
}

/** Vendors with queries that can be sent now. */
export function vendorsToAsk(tally: Tally): PaymentVendor[] {
  return membersOf(paymentVendors).filter((vendor) => {
    if (tally.compared_at === undefined) return questionsOpen(tally, vendor) > 0;
    const counts = tally.vendors[vendor];
    // Instructions may have changed since they were counted, so all are scanned.
    const isAsked = counts !== undefined && (waiting(counts) > 0 || tally.progress[vendor] !== undefined);
    return isAsked && tally.progress[vendor]?.hasEnded !== true;
  });
}

/**
 * Ends the queries to a vendor after the comparison.
 * @param reason why pending instructions are not queried; undefined if all were queried: the remaining ones have been replaced
 */
export function endVendor(tally: Tally, vendor: PaymentVendor, reason: NotAskedReason | undefined): void {
  const counts = countsOf(tally, vendor);
  if (reason !== undefined) countNotAsked(counts, reason, waiting(counts));
  counts.in_force = gone(counts);
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
