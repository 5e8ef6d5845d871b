import { membersOf, setOf } from './value-sets.ts';

/** Roles of people on the support site: people of import suppliers, then staff, in ascending order. */
export const personRoles = setOf('own', ['supplier', 'viewer', 'operator', 'administrator']);

export type PersonRole = keyof typeof personRoles;

/** Returns whether a role includes another one. */
export function reaches(role: PersonRole, least: PersonRole): boolean {
  const roles = membersOf(personRoles);
  return roles.indexOf(role) >= roles.indexOf(least);
}
