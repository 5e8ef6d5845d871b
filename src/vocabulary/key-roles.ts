import type { ValueSet } from './value-sets.ts';

/** What an API key may be used for: a supplier's own imports, or the operator API. */
export const keyRoles = { supplier: 'specified', operator: 'specified' } as const satisfies ValueSet;

export type KeyRole = keyof typeof keyRoles;

/** How much of its role a key may do: all of it, or of the operator API only to look, or only to hand in market messages. */
export const keyScopes = {
  all: 'specified',
  read: 'specified',
  market_messages: 'specified',
} as const satisfies ValueSet;

export type KeyScope = keyof typeof keyScopes;

/** What a route of the operator API does: it shows, it changes, or it takes market messages. */
export type OperatorAction = 'read' | 'change' | 'market_messages';

/** Tells whether a key of this scope may call an operator route that does this. */
export function allowsAction(scope: KeyScope, action: OperatorAction): boolean {
  return scope === 'all' || scope === action;
}
