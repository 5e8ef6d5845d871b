import { membersOf, type ValueSet } from './value-sets.ts';

/** Roles of people on the support site, in ascending order. */
export const personRoles = {
  viewer: 'specified',
  operator: 'specified',
  administrator: 'specified',
} as const satisfies ValueSet;

export type PersonRole = keyof typeof personRoles;

/** Returns whether a role includes another one. */
export function reaches(role: PersonRole, least: PersonRole): boolean {
  const roles = membersOf(personRoles);
  return roles.indexOf(role) >= roles.indexOf(least);
}
