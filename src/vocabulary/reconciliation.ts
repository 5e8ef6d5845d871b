import { setOf } from './value-sets.ts';

/** Lifecycle of a reconciliation. */
export const reconciliationStatuses = setOf('own', ['RUNNING', 'COMPLETED', 'CANCELLED']);
export type ReconciliationStatus = keyof typeof reconciliationStatuses;

/** Kind of difference at a path: another value, a missing value, or an additional value. */
export const differenceKinds = setOf('own', ['changed', 'missing', 'extra']);
export type DifferenceKind = keyof typeof differenceKinds;

/** What a reconciliation compares. */
export type ReconciledSubject = 'account' | 'business';

/** Where a difference was found. `payment_instruction`: the vendor reports something other than the stored state. */
export const differenceSubjects = setOf('own', ['account', 'business', 'payment_instruction']);
export type DifferenceSubject = keyof typeof differenceSubjects;

/** Why a payment vendor was not queried about an instruction that is in force. */
export const notQueriedReasons = setOf('own', [
  'unknown_vendor',
  'not_verified',
  'no_address',
  'unreachable',
  'limit_reached',
]);
export type NotQueriedReason = keyof typeof notQueriedReasons;

/** A sentence for each reason. */
export const notQueriedSentences = {
  unknown_vendor: 'Its vendor is unknown, or does not support instructions of its type.',
  not_verified:
    'It was sent with its account and never verified. Only a reconciliation started by operators queries the vendor, because suppliers could otherwise probe references beyond their verification limits.',
  no_address: 'The address of the vendor is not set.',
  unreachable: 'The vendor did not answer after several attempts, or rejects our credentials.',
  limit_reached: 'The daily limit of vendor calls for reconciliations of an import supplier was reached.',
} as const satisfies Record<NotQueriedReason, string>;

/** Known reasons why stored data differs from accepted data. */
export const differenceReasons = setOf('own', [
  'note_added',
  'statement_added',
  'payment_instruction_verified',
  'payment_instruction_replaced',
  'note_pin_changed',
  'transaction_moved',
]);
export type DifferenceReason = keyof typeof differenceReasons;

/** Each reason in words. */
export const reasonSentences = {
  note_added: 'The note was added after the creation.',
  statement_added: 'The historical statement was added after the creation.',
  payment_instruction_verified: 'The payment instruction was verified by its vendor after the creation.',
  payment_instruction_replaced: 'A verified instruction of the same type replaced it.',
  note_pin_changed: 'Operators have pinned or unpinned the note.',
  transaction_moved: 'The request allowed the date to be moved into the open statement period.',
} as const satisfies Record<DifferenceReason, string>;
