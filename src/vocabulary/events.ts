/** Types of events with what has happened; a change that a reader could not follow gets a new version. */
export const eventTypes = {
  'import.account.created.v1': 'The account was created.',
  'import.account.refused.v1': 'The staged data does not hold (any more); the account waits until it is staged anew.',
  'import.account.quarantined.v1': 'The account cannot be created for now and is quarantined; operators see why.',
  'import.business.created.v1': 'The business was created, with its contracts.',
  'import.business.contracts_added.v1': 'A business that was there got further contracts.',
  'switch.pending.v1': 'The industry switch of the account has not begun, or begins anew.',
  'switch.in_progress.v1': 'The industry switch of the account is under way.',
  'switch.rejected.v1': 'The industry switch of the account was rejected.',
  'switch.completed.v1': 'The industry switch of the account is complete.',
  'payment_instruction.verified.v1': 'The payment vendor knows the instruction; it is in force.',
  'payment_instruction.rejected.v1': 'The instruction was rejected, for good.',
  'payment_instruction.unreachable.v1': 'The payment vendor did not answer within a day; send the instruction again.',
  'job.validating.v1': 'The lines of the import job are being validated.',
  'job.running.v1': 'The lines of the import job are being processed.',
  'job.paused.v1': 'The import job is paused; `paused_because` says why.',
  'job.completed.v1': 'All lines of the import job have their result.',
  'job.cancelled.v1': 'The import job was cancelled.',
  'job.expired.v1': 'The import job was not started for 7 days, or was paused for too long.',
  'batch.completed.v1': 'All supply points of the batch have their result.',
  'batch.cancelled.v1': 'The batch was cancelled.',
} as const;

/** Type of an event, with the version of its form. */
export type EventType = keyof typeof eventTypes;
