import { setOf } from './value-sets.ts';

/** Progress of an account, which has exactly one of them. SKIPPED takes precedence over REFUSED. */
export const importStatuses = setOf('own', ['STAGED', 'REFUSED', 'SKIPPED', 'CREATED']);
export type ImportStatus = keyof typeof importStatuses;
