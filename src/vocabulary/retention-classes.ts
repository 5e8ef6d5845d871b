import type { ValueSet } from './value-sets.ts';

/** Classes of personal data that retention deletes, in processing order. */
export const retentionClasses = {
  created_payload: 'specified',
  never_created: 'specified',
  audit: 'specified',
  idempotency_key: 'specified',
} as const satisfies ValueSet;

export type RetentionClass = keyof typeof retentionClasses;
