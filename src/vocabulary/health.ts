import type { ValueSet } from './value-sets.ts';

/** How it stands with an outside party. */
export const partyStates = {
  answers: 'specified',
  fails: 'specified',
  rests: 'specified',
  not_asked: 'specified',
} as const satisfies ValueSet;

/** How it stands with Temporal; unknown while it has not answered yet. */
export const engineStates = { ok: 'specified', away: 'specified', unknown: 'specified' } as const satisfies ValueSet;
