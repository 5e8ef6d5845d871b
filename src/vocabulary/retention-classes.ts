import type { ValueSet } from './value-sets.ts';

/** Personal data that is deleted after a time, in the order in which it is looked at. */
export const retentionClasses = {
  created_payload: 'specified',
  never_created: 'specified',
  audit: 'specified',
  idempotency_key: 'specified',
} as const satisfies ValueSet;

export type RetentionClass = keyof typeof retentionClasses;
