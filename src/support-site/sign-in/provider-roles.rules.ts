import { personRoles, type PersonRole } from '../../vocabulary/person-roles.ts';
import { membersOf } from '../../vocabulary/value-sets.ts';

/**
 * The highest role that a provider gives a person; undefined without a role.
 * @param claim a name or a list of names, as providers send it
 * @param names the setting OIDC_ROLES: `<role>=<name at the provider>`, separated by semicolons
 */
export function roleIn(claim: unknown, names: string): PersonRole | undefined {
  const given = new Set(Array.isArray(claim) ? claim : [claim]);
  const held = new Set(
    names
      .split(';')
      .map((pair) => pair.trim().split(/=(.*)/s))
      .filter(([, name]) => given.has(name))
      .map(([role]) => role),
  );
  return membersOf(personRoles).findLast((role) => held.has(role));
}
