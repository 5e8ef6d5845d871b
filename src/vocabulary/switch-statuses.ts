import { setOf } from './value-sets.ts';

/** State of the industry switch of a supply point, and of an account (UNKNOWN is an account that is not created). */
export const switchStatuses = setOf('specified', ['PENDING', 'IN_PROGRESS', 'REJECTED', 'COMPLETED']);

export type SwitchStatus = keyof typeof switchStatuses;

/** Result of a switch according to the network operator, in a market message or in its response to our request. */
export const marketOutcomes = setOf('relative', ['ACCEPTED', 'REJECTED', 'COMPLETED']);

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

/** Decision of an operator about a supply point on two accounts: request its switch anyway, or leave it with the other account, so that its switch here counts as rejected. */
export const claimDecisions = setOf('own', ['GO_ON', 'LEAVE']);

/** The result of a sent market message. MESSAGE_DIFFERS: another message has the same id, and nothing was stored. */
export const messageStatuses = setOf('own', ['MESSAGE_STORED', 'MESSAGE_ALREADY_KNOWN', 'MESSAGE_DIFFERS']);
