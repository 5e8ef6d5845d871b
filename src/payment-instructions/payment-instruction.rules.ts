import { textOf, type Loose } from '../vocabulary/loose-payload.ts';
import { tableOf, type Table } from '../foundation/table.ts';
import type { PaymentInstructionType, PaymentVendor } from '../vocabulary/value-sets.ts';
import { violation, type Violation } from '../vocabulary/violations.ts';

/** The types of instruction that each vendor supports. */
const TYPES_OF_VENDOR: Table<readonly string[]> = tableOf({
  GOCARDLESS: ['DIRECT_DEBIT'],
  STRIPE: ['CARD', 'DIRECT_DEBIT'],
  SLIMPAY: ['DIRECT_DEBIT'],
  ADYEN: ['CARD', 'DIRECT_DEBIT'],
} satisfies Record<PaymentVendor, readonly PaymentInstructionType[]>);

/** Checks that `type` and `vendor` of operation 7 fit together; the schema checks each value. */
export function findPaymentInstructionViolations(request: Loose): Violation[] {
  const vendor = textOf(request['vendor']);
  const type = textOf(request['type']);
  const known = TYPES_OF_VENDOR.get(vendor);
  const isOfOther =
    known !== undefined && [...TYPES_OF_VENDOR.values()].some((types) => types.includes(type)) && !known.includes(type);
  return isOfOther
    ? [
        violation(
          'invalid_payment_instruction',
          ['type'],
          `${vendor} has no instructions of type ${type}. Send ${known.join(' or ')}.`,
        ),
      ]
    : [];
}

/**
 * The outcome of a verification. The first three kinds are stored. `unknown`: the account was deleted meanwhile. `waits`: the verification
 * continues; the dispatcher starts it if Temporal was unavailable.
 */
export interface VerificationOutcome {
  kind: 'verified' | 'rejected' | 'unreachable' | 'unknown' | 'waits';
  /** The reason as one of our codes, never text from the vendor. */
  reason?: string;
}

/** Reads the outcome from its columns. @returns undefined if there is none yet */
export function outcomeIn({
  outcome,
  reason,
}: {
  outcome?: VerificationOutcome['kind'] | null;
  reason?: string | null;
}): VerificationOutcome | undefined {
  return outcome ? { kind: outcome, ...(reason && { reason }) } : undefined;
}

/** Argument of the workflow. Contains only keys and codes; the reference is stored in the row of the verification. */
export interface VerificationInput {
  verificationId: string;
  importSupplier: string;
  externalAccountNumber: string;
  vendor: PaymentVendor;
  /** Time limit for an answer of the vendor. */
  budgetMs: number;
}

/**
 * The result of an attempt. `settled`: another run has already stored the outcome. Workers of different versions exchange it, so its kinds
 * must not change.
 */
export type VerificationAnswer =
  | { kind: 'usable' }
  | { kind: 'refused'; reason: string }
  | { kind: 'unreachable'; reason: string }
  | { kind: 'settled' };

/** Reason of an instruction that is in force on an account of another import supplier; it has a separate refusal code. */
export const IN_USE = 'payment_instruction_in_use';

/** Sentences for the reasons of a rejection; text from the vendor is never shown. */
const REJECTIONS = tableOf({
  not_found: 'The payment vendor does not know this reference.',
  invalid_reference: 'The payment vendor does not recognize this as one of its references.',
  wrong_type: 'The payment vendor has an instruction of another type under this reference.',
  not_reusable: 'The payment vendor accepts this instruction for one payment only.',
  unknown_status: 'The payment vendor reports an unknown status for this instruction, which counts as not usable.',
});

/** The sentence for the reason of a rejection. */
export function rejectionSentence(reason: string | undefined): string {
  return (
    REJECTIONS.get(reason ?? '') ??
    `The payment vendor reports that the instruction cannot be used: ${(reason ?? 'refused').replaceAll('_', ' ')}.`
  );
}
