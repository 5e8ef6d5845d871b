import type { ValueSet } from './value-sets.ts';

/** State of the industry switch of a supply point, and of an account (UNKNOWN is an account that is not created). */
export const switchStatuses = {
  PENDING: 'specified',
  IN_PROGRESS: 'specified',
  REJECTED: 'specified',
  COMPLETED: 'specified',
} as const satisfies ValueSet;

export type SwitchStatus = keyof typeof switchStatuses;

/** What a network operator says of a switch, in a market message or in its answer to our request. */
export const marketOutcomes = {
  ACCEPTED: 'relative',
  REJECTED: 'relative',
  COMPLETED: 'relative',
} as const satisfies ValueSet;

export type MarketOutcome = keyof typeof marketOutcomes;

/**
 * Where each outcome leads from each state; a place that is missing fits nothing. The same
 * state again: it was said before, and nothing changes. docs/suppliers/accounts.md#the-industry-switch draws this table.
 */
export const switchTransitions: Readonly<Record<SwitchStatus, Readonly<Partial<Record<MarketOutcome, SwitchStatus>>>>> =
  {
    PENDING: { ACCEPTED: 'IN_PROGRESS', REJECTED: 'REJECTED' },
    IN_PROGRESS: { ACCEPTED: 'IN_PROGRESS', REJECTED: 'REJECTED', COMPLETED: 'COMPLETED' },
    REJECTED: { ACCEPTED: 'IN_PROGRESS', REJECTED: 'REJECTED' },
    COMPLETED: { COMPLETED: 'COMPLETED' },
  };

/** Decision of an operator about a supply point on two accounts. */
export const claimDecisions = {
  /** Its switch is asked for all the same. */
  GO_ON: 'specified',
  /** It stays with the other account: its switch here counts as rejected. */
  LEAVE: 'specified',
} as const satisfies ValueSet;

/** The result of a sent market message. MESSAGE_DIFFERS: another message has the same id, and nothing was stored. */
export const messageStatuses = {
  MESSAGE_STORED: 'specified',
  MESSAGE_ALREADY_KNOWN: 'specified',
  MESSAGE_DIFFERS: 'specified',
} as const satisfies ValueSet;
