import type { ValueSet } from './value-sets.ts';

/** Health of an outside party. */
export const partyStates = {
  answers: 'specified',
  fails: 'specified',
  rests: 'specified',
  not_asked: 'specified',
} as const satisfies ValueSet;

/** Health of Temporal; unknown until its first response. */
export const engineStates = { ok: 'specified', away: 'specified', unknown: 'specified' } as const satisfies ValueSet;
