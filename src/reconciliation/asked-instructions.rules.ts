import { findPaymentInstructionViolations } from '../payment-instructions/payment-instruction.rules.ts';
import type { DifferenceKind, NotAskedReason } from '../vocabulary/reconciliation.ts';
import { membersOf, paymentInstructionTypes, paymentVendors, type PaymentVendor } from '../vocabulary/value-sets.ts';
import type { AskedVendor, Tally } from './tally.rules.ts';

/** What came of an instruction. */
export type AskedOutcome =
  | { kind: 'usable' }
  | { kind: 'different'; answer: string }
  | { kind: 'not-asked'; reason: NotAskedReason };

/** Vendors of account payloads may be written in any case. @returns undefined for one that is none of ours, or has no such instructions */
export function vendorOf({ vendor, type }: { vendor: string; type: string }): PaymentVendor | undefined {
  const name = vendor.toUpperCase();
  if (!membersOf(paymentInstructionTypes).some((known) => known === type)) return undefined;
  if (findPaymentInstructionViolations({ vendor: name, type }).length > 0) return undefined;
  return membersOf(paymentVendors).find((known) => known === name);
}

/** What a vendor that says otherwise makes of an instruction: it does not know it, or has it in another state. */
export function kindOfAnswer(answer: string): DifferenceKind {
  return answer === 'not_found' ? 'missing' : 'changed';
}

/** The name under which instructions of vendors that are not known here are counted. */
const OTHER = 'OTHER';

/** Counts one outcome. */
export function countAsked(tally: Tally, vendor: PaymentVendor | undefined, outcome: AskedOutcome): void {
  tally.vendors ??= {};
  const counts: AskedVendor = (tally.vendors[vendor ?? OTHER] ??= {
    in_force: 0,
    asked: 0,
    usable: 0,
    different: 0,
    not_asked: {},
  });
  counts.in_force += 1;
  if (outcome.kind === 'not-asked') {
    counts.not_asked[outcome.reason] = (counts.not_asked[outcome.reason] ?? 0) + 1;
    return;
  }
  counts.asked += 1;
  counts[outcome.kind] += 1;
}

/** What vendors were asked, as answers and certificates tell it; null in those of versions that asked nobody. */
export function vendorsTold({ vendors }: Tally) {
  if (vendors === undefined) return null;
  return Object.entries(vendors)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([vendor, { not_asked: reasons, ...counts }]) => ({
      vendor,
      ...counts,
      not_asked: Object.entries(reasons).map(([reason, instructions]) => ({ reason, instructions })),
    }));
}
