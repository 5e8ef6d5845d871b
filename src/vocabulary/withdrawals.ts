import { setOf } from './value-sets.ts';

/** Lifecycle of a withdrawal. */
export const withdrawalStatuses = setOf('own', ['RUNNING', 'COMPLETED', 'CANCELLED']);
export type WithdrawalStatus = keyof typeof withdrawalStatuses;

/** When a request that met an account in a running withdrawal is sent again. */
export const WITHDRAWAL_RETRY_SECONDS = 5;

/** Why an account cannot be withdrawn. */
export const withdrawalObstacles = setOf('own', [
  'switch_requested',
  'payment_instruction_verified',
  'payment_verification_open',
  'notes_added',
  'transactions_added',
  'statements_added',
  'staged_data_deleted',
]);
export type WithdrawalObstacle = keyof typeof withdrawalObstacles;

/** What became of a business whose contracts withdrawn accounts had. */
export const businessOutcomes = setOf('own', ['withdrawn', 'not_requested', 'in_use']);
export type BusinessOutcome = keyof typeof businessOutcomes;

/** Each outcome in words. */
export const businessOutcomeSentences = {
  withdrawn: 'The business was deleted with its contracts. Create it again before its accounts; it gets another id.',
  not_requested: 'No account uses the business any more. It was kept, because `withdraw_businesses` was not set.',
  in_use: 'Other accounts, created or staged, use the business, so it was kept.',
} as const satisfies Record<BusinessOutcome, string>;

/** Each obstacle in words, and what to do about it. */
export const obstacleSentences = {
  switch_requested: {
    reason: 'The switch of a supply point was requested from the industry switch and is not rejected.',
    remedy:
      'Wait until the industry switch rejects it, or cancel it there and set the switch status to REJECTED. A completed switch cannot be withdrawn.',
  },
  payment_instruction_verified: {
    reason: 'Operation 7 verified a payment instruction of the account at its vendor.',
    remedy: 'The customer pays by this mandate or card, so keep the account.',
  },
  payment_verification_open: {
    reason: 'A payment instruction of the account is being verified at its vendor.',
    remedy: 'Wait for the result of the verification, at most a day, then withdraw the account again.',
  },
  notes_added: {
    reason: 'Notes were added after the creation.',
    remedy: 'Keep the account, or ask the operators whether the notes may be lost.',
  },
  transactions_added: {
    reason: 'Transactions were added after the creation.',
    remedy: 'Keep the account: its balance is in use.',
  },
  statements_added: {
    reason: 'Historical statements were added after the creation.',
    remedy: 'Keep the account, or ask the operators whether the statements may be lost.',
  },
  staged_data_deleted: {
    reason: 'The staged data was deleted by retention or by an erasure, so the account could not be staged again.',
    remedy: 'Keep the account.',
  },
} as const satisfies Record<WithdrawalObstacle, { reason: string; remedy: string }>;
