import { personRoles, type PersonRole } from '../../vocabulary/person-roles.ts';
import { membersOf } from '../../vocabulary/value-sets.ts';

/** The rights of a person, as a provider gives them. */
export interface ProvidedRole {
  role: PersonRole;
  /** Codes of the role supplier, as the provider names them. */
  importSuppliers?: readonly string[];
}

/**
 * The highest role that a provider gives a person; undefined without a role.
 * @param claim a name or a list of names, as providers send it
 * @param names the setting OIDC_ROLES: `<role>=<name at the provider>`, separated by semicolons; `*` in the name of the role supplier is the
 *   code of an import supplier
 */
export function roleIn(claim: unknown, names: string): ProvidedRole | undefined {
  const given = (Array.isArray(claim) ? claim : [claim]).filter((one) => typeof one === 'string');
  const pairs = names.split(';').map((pair) => pair.trim().split(/=(.*)/s) as [string, string]);
  const isHeld = (role: PersonRole) => pairs.some(([of, name]) => of === role && given.includes(name));
  const role = membersOf(personRoles).findLast((one) => one !== 'supplier' && isHeld(one));
  if (role !== undefined) return { role };
  const importSuppliers = pairs
    .filter(([of]) => of === 'supplier')
    .flatMap(([, name]) => given.flatMap((one) => codeIn(one, name) ?? []));
  return importSuppliers.length === 0
    ? undefined
    : { role: 'supplier', importSuppliers: [...new Set(importSuppliers)] };
}

/** The part of a name in place of the `*` of a pattern; undefined if it does not match. */
function codeIn(name: string, pattern: string): string | undefined {
  const [before = '', after = ''] = pattern.split('*');
  const isMatch = name.startsWith(before) && name.endsWith(after) && name.length > before.length + after.length;
  return isMatch ? name.slice(before.length, name.length - after.length) : undefined;
}
