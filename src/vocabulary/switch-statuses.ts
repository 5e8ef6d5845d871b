import type { ValueSet } from './value-sets.ts';

/** State of the industry switch of a supply point, and of an account (UNKNOWN is an account that is not created). */
export const switchStatuses = {
  PENDING: 'specified',
  IN_PROGRESS: 'specified',
  REJECTED: 'specified',
  COMPLETED: 'specified',
} as const satisfies ValueSet;

export type SwitchStatus = keyof typeof switchStatuses;

/** Result of a switch according to the network operator, in a market message or in its response to our request. */
export const marketOutcomes = {
  ACCEPTED: 'relative',
  REJECTED: 'relative',
  COMPLETED: 'relative',
} as const satisfies ValueSet;

export type MarketOutcome = keyof typeof marketOutcomes;

/**
 * New state for each state and outcome. Missing entries do not fit the state; the same state means a repeated message without effect.
 * docs/suppliers/accounts.md#the-industry-switch shows this table.
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
  /** Request its switch anyway. */
  GO_ON: 'specified',
  /** Leave it with the other account: its switch here counts as rejected. */
  LEAVE: 'specified',
} as const satisfies ValueSet;

/** The result of a sent market message. MESSAGE_DIFFERS: another message has the same id, and nothing was stored. */
export const messageStatuses = {
  MESSAGE_STORED: 'specified',
  MESSAGE_ALREADY_KNOWN: 'specified',
  MESSAGE_DIFFERS: 'specified',
} as const satisfies ValueSet;
