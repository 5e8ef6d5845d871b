import type { PersonRole } from './person-roles.ts';
import { setOf } from './value-sets.ts';

/** Use of an API key: imports of a supplier, or the operator API. */
export const keyRoles = setOf('own', ['supplier', 'operator']);

export type KeyRole = keyof typeof keyRoles;

/** Restriction of a key within its role: none, the actions of a role of the support site, the same and the approval of waves, or only
 * handing in market messages. */
export const keyScopes = setOf('own', ['all', 'approve', 'operate', 'read', 'market_messages']);

export type KeyScope = keyof typeof keyScopes;

/** Scopes that correspond to a role of people. Keys for market messages belong to systems. */
type RoleScope = Exclude<KeyScope, 'market_messages'>;

const ROLES = {
  all: 'administrator',
  approve: 'operator',
  operate: 'operator',
  read: 'viewer',
} as const satisfies Record<RoleScope, PersonRole>;

/** The role whose actions a scope allows. */
export function roleOfScope(scope: RoleScope): PersonRole {
  return ROLES[scope];
}
