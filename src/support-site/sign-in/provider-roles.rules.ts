import { personRoles, type PersonRole } from '../../vocabulary/person-roles.ts';
import { membersOf } from '../../vocabulary/value-sets.ts';

/**
 * The highest role that a provider gives a person; undefined without a role.
 * @param claim a name or a list of names, as providers send it
 * @param names the name of each role at the provider
 */
export function roleIn(claim: unknown, names: Readonly<Record<PersonRole, string>>): PersonRole | undefined {
  const given = new Set(Array.isArray(claim) ? claim : [claim]);
  return membersOf(personRoles).findLast((role) => given.has(names[role]));
}
