import type { PersonRole } from './person-roles.ts';
import type { ValueSet } from './value-sets.ts';

/** What an API key may be used for: a supplier's own imports, or the operator API. */
export const keyRoles = { supplier: 'specified', operator: 'specified' } as const satisfies ValueSet;

export type KeyRole = keyof typeof keyRoles;

/** How much of its role a key may do: all of it, or of the operator API what a role of the support site may, or only to hand in market messages. */
export const keyScopes = {
  all: 'specified',
  operate: 'specified',
  read: 'specified',
  market_messages: 'specified',
} as const satisfies ValueSet;

export type KeyScope = keyof typeof keyScopes;

/** Scopes of keys that correspond to a role of people; one for market messages is for a system. */
type RoleScope = Exclude<KeyScope, 'market_messages'>;

const ROLES = { all: 'administrator', operate: 'operator', read: 'viewer' } as const satisfies Record<
  RoleScope,
  PersonRole
>;

/** The role whose actions a key of this scope may do. */
export function roleOfScope(scope: RoleScope): PersonRole {
  return ROLES[scope];
}
