import { setOf } from './value-sets.ts';

/** Classes of personal data that retention deletes, in processing order. */
export const retentionClasses = setOf('own', ['created_payload', 'never_created', 'audit', 'idempotency_key']);

export type RetentionClass = keyof typeof retentionClasses;
