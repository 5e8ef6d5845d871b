import { textOf, type Loose } from '../vocabulary/loose-payload.ts';
import { tableOf, type Table } from '../foundation/table.ts';
import type { PaymentInstructionType, PaymentVendor } from '../vocabulary/value-sets.ts';
import { violation, type Violation } from '../vocabulary/violations.ts';

/** The types of instruction that each vendor holds for us. */
const TYPES_OF_VENDOR: Table<readonly string[]> = tableOf({
  GOCARDLESS: ['DIRECT_DEBIT'],
  STRIPE: ['CARD', 'DIRECT_DEBIT'],
  SLIMPAY: ['DIRECT_DEBIT'],
  ADYEN: ['CARD', 'DIRECT_DEBIT'],
} satisfies Record<PaymentVendor, readonly PaymentInstructionType[]>);

/** `type` and `vendor` of operation 7 fit each other; a value outside its set is the schema's matter. */
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
          `${vendor} has no instructions of type ${type}; send ${known.join(' or ')}.`,
        ),
      ]
    : [];
}

/**
 * What has come of a verification. The first three are kept; `unknown`: its account is gone meanwhile; `waits`: it continues
 * automatically, and the dispatcher starts it if Temporal could not be reached.
 */
export interface VerificationOutcome {
  kind: 'verified' | 'rejected' | 'unreachable' | 'unknown' | 'waits';
  /** Why not: a code of ours, never a text of the vendor's. */
  reason?: string;
}

/** An outcome as its row keeps it. */
export interface KeptOutcome {
  outcome: VerificationOutcome['kind'] | null;
  reason: string | null;
}

/** Reads the outcome that a row keeps; undefined while it has none. */
export function outcomeIn({ outcome, reason }: KeptOutcome): VerificationOutcome | undefined {
  if (outcome === null) return undefined;
  return reason === null ? { kind: outcome } : { kind: outcome, reason };
}

/** Sole argument of the workflow: keys and codes. The reference stands in the row of the verification. */
export interface VerificationInput {
  verificationId: string;
  importSupplier: string;
  externalAccountNumber: string;
  vendor: PaymentVendor;
  /** Longest that the vendor is asked. */
  budgetMs: number;
}

/**
 * What an attempt found out; `settled`: another run has been through already. It crosses from worker to worker, which may
 * be of two versions, so its kinds stay what they are.
 */
export type VerificationAnswer =
  | { kind: 'usable' }
  | { kind: 'refused'; reason: string }
  | { kind: 'unreachable'; reason: string }
  | { kind: 'settled' };

/** Reason of an instruction that is in force on an account of another import supplier; it has a refusal of its own. */
export const IN_USE = 'payment_instruction_in_use';

/** Sentences for the reasons of a rejection; they are ours, whatever the vendor's words were. */
const REJECTIONS = tableOf({
  not_found: 'The payment vendor does not know this reference.',
  invalid_reference: 'The payment vendor does not take this for a reference of its own.',
  wrong_type: 'The payment vendor holds something of another type under this reference.',
  not_reusable: 'The payment vendor holds it for one payment only.',
  unknown_status: 'The payment vendor gives it a status that is not known here, which counts as not usable.',
});

/** Says in a sentence of ours why an instruction cannot be used. */
export function rejectionSentence(reason: string | undefined): string {
  return (
    REJECTIONS.get(reason ?? '') ??
    `The payment vendor says that the instruction cannot be used: ${(reason ?? 'refused').replaceAll('_', ' ')}.`
  );
}
