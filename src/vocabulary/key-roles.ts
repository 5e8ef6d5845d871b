import type { ValueSet } from './value-sets.ts';

/** What an API key may be used for (design 4): a supplier's own imports, or the operator interface. */
export const keyRoles = { supplier: 'specified', operator: 'specified' } as const satisfies ValueSet;

export type KeyRole = keyof typeof keyRoles;
