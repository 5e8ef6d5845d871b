import type { ValueSet } from './value-sets.ts';

/** The life of a reconciliation. */
export const reconciliationStatuses = {
  RUNNING: 'specified',
  COMPLETED: 'specified',
  CANCELLED: 'specified',
} as const satisfies ValueSet;
export type ReconciliationStatus = keyof typeof reconciliationStatuses;

/** Kind of difference at a path: another value, a missing value, or an additional value. */
export const differenceKinds = {
  changed: 'specified',
  missing: 'specified',
  extra: 'specified',
} as const satisfies ValueSet;
export type DifferenceKind = keyof typeof differenceKinds;

/** What a reconciliation goes through. */
export type ReconciledSubject = 'account' | 'business';

/** What a difference was found in; `payment_instruction`: its vendor says another thing than we have. */
export const differenceSubjects = {
  account: 'specified',
  business: 'specified',
  payment_instruction: 'specified',
} as const satisfies ValueSet;
export type DifferenceSubject = keyof typeof differenceSubjects;

/** Why a payment vendor was not asked about an instruction that is in force. */
export const notAskedReasons = {
  unknown_vendor: 'specified',
  not_verified: 'specified',
  no_address: 'specified',
  unreachable: 'specified',
  limit_reached: 'specified',
} as const satisfies ValueSet;
export type NotAskedReason = keyof typeof notAskedReasons;

/** Each of them in words. */
export const notAskedSentences = {
  unknown_vendor: 'It names a vendor that is not known here, or one that has no instructions of its type.',
  not_verified:
    'It came with its account and was never verified. Only a reconciliation that operators have started asks about it: else references could be probed past the limits of verification.',
  no_address: 'The address of the vendor is not set.',
  unreachable: 'The vendor did not answer after several tries, or refuses us.',
  limit_reached: 'As many questions as reconciliations of an import supplier may ask in a day were asked.',
} as const satisfies Record<NotAskedReason, string>;

/** Known reasons why stored data differs from accepted data. */
export const differenceReasons = {
  note_added: 'specified',
  statement_added: 'specified',
  payment_instruction_verified: 'specified',
  payment_instruction_replaced: 'specified',
  note_pin_changed: 'specified',
  transaction_moved: 'specified',
} as const satisfies ValueSet;
export type DifferenceReason = keyof typeof differenceReasons;

/** Each reason in words. */
export const reasonSentences = {
  note_added: 'A note that came after the creation.',
  statement_added: 'A historical statement that came after the creation.',
  payment_instruction_verified: 'A payment instruction that its vendor has verified.',
  payment_instruction_replaced: 'A verified instruction of the same type is in force in its place.',
  note_pin_changed: 'Operators have pinned or unpinned the note.',
  transaction_moved: 'The date was moved into the open statement period, as the request asked for.',
} as const satisfies Record<DifferenceReason, string>;
