import { setOf } from './value-sets.ts';

/** Health of an outside party. */
export const partyStates = setOf('own', ['answers', 'fails', 'rests', 'not_asked']);

/** Health of Temporal; unknown until its first response. */
export const engineStates = setOf('own', ['ok', 'away', 'unknown']);
