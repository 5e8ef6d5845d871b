/** Types of events, with what happened. A change that breaks readers gets a new version. */
export const eventTypes = {
  'import.account.created.v1': 'The account was created.',
  'import.account.refused.v1':
    'The staged data was rejected at creation. The account is created after it is staged again.',
  'import.account.quarantined.v1':
    'The database rejected the account, so it is quarantined until operators correct the cause.',
  'import.account.withdrawn.v1':
    'The account was withdrawn and is staged again. It can be created again and then gets another number.',
  'import.business.created.v1': 'The business was created, with its contracts.',
  'import.business.contracts_added.v1': 'Contracts were added to an existing business.',
  'import.business.withdrawn.v1':
    'The business was deleted with the accounts of a withdrawal. It can be created again and then gets another id.',
  'switch.pending.v1': 'The industry switch of the account has not started, or starts again.',
  'switch.in_progress.v1': 'The industry switch of the account is in progress.',
  'switch.rejected.v1': 'The industry switch of the account was rejected.',
  'switch.completed.v1': 'The industry switch of the account is complete.',
  'payment_instruction.verified.v1': 'The payment vendor confirmed the instruction; it is in force.',
  'payment_instruction.rejected.v1': 'The instruction was rejected permanently.',
  'payment_instruction.unreachable.v1': 'The payment vendor did not answer within a day; send the instruction again.',
  'job.validating.v1': 'The lines of the import job are being validated.',
  'job.running.v1': 'The lines of the import job are being processed.',
  'job.paused.v1': 'The import job was paused. `paused_because` is the reason.',
  'job.completed.v1': 'All lines of the import job have a result.',
  'job.cancelled.v1': 'The import job was canceled.',
  'job.expired.v1': 'The import job was not started within 7 days, or was paused for too long.',
  'import.wave.preparing.v1': 'The wave was opened, or its withdrawn accounts can be created again.',
  'import.wave.scheduled.v1': 'The creation of the wave was requested and waits for the beginning of its plan.',
  'import.wave.creating.v1': 'The accounts of the wave are being created.',
  'import.wave.paused.v1': 'The wave was paused. `paused_because` is the reason.',
  'import.wave.created.v1': 'The creation of the wave has ended.',
  'import.wave.withdrawing.v1': 'The accounts of the wave are being withdrawn.',
  'import.wave.withdrawn.v1': 'The accounts of the wave are withdrawn.',
  'import.wave.signed_off.v1': 'A person signed the wave off.',
  'import.wave.cancelled.v1': 'The wave was canceled; its accounts belong to no wave.',
  'batch.completed.v1': 'All supply points of the batch have a result.',
  'batch.cancelled.v1': 'The batch was canceled.',
  'audit.anchored.v1':
    "A UTC day of the operators' audit is complete. `jws` is its signed anchor; keep it as evidence that the audit was not changed later.",
} as const;

/** Type of an event, with the version of its format. */
export type EventType = keyof typeof eventTypes;
