import type { ValueSet } from './value-sets.ts';

/** Progress of an account, which has exactly one of them. SKIPPED takes precedence over REFUSED. */
export const importStatuses = {
  STAGED: 'specified',
  REFUSED: 'specified',
  SKIPPED: 'specified',
  CREATED: 'specified',
} as const satisfies ValueSet;
export type ImportStatus = keyof typeof importStatuses;
