import { setOf } from './value-sets.ts';

/** Changes that can be made to all stuck work that matches a filter. */
export const bulkActionKinds = setOf('own', [
  'retry',
  'retry_lookups',
  'skip',
  'cancel',
  'dismiss',
  'assign',
  'decide',
]);
export type BulkActionKind = keyof typeof bulkActionKinds;

/** Lifecycle of a bulk action. */
export const bulkActionStatuses = setOf('own', ['RUNNING', 'PAUSED', 'COMPLETED', 'CANCELLED']);
export type BulkActionStatus = keyof typeof bulkActionStatuses;

/** The outcome of a bulk action for one item. */
export const bulkOutcomes = setOf('own', ['done', 'in_progress', 'unchanged', 'gone', 'refused']);
export type BulkOutcome = keyof typeof bulkOutcomes;

/** Each outcome in words. */
export const bulkOutcomeSentences = {
  done: 'The action was applied.',
  in_progress: 'An attempt was already in progress, or the work waits for a worker.',
  unchanged: 'The work needs a decision, or its account does not exist yet.',
  gone: 'The work was completed in the meantime.',
  refused: 'The action was rejected; `code` says why.',
} as const satisfies Record<BulkOutcome, string>;
