import type { ValueSet } from './value-sets.ts';

/** How far an account has come; each is in one of them. Marked to skip counts before refused. */
export const importStatuses = {
  STAGED: 'specified',
  REFUSED: 'specified',
  SKIPPED: 'specified',
  CREATED: 'specified',
} as const satisfies ValueSet;
export type ImportStatus = keyof typeof importStatuses;
