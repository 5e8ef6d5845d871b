import type { ValueSet } from './value-sets.ts';

/** Kinds of records of an import job. A line is the body of the single call of its kind. */
export const importJobKinds = {
  accounts: 'specified',
  businesses: 'specified',
  'business-contracts': 'specified',
  notes: 'specified',
  transactions: 'specified',
  statements: 'specified',
  'payment-instructions': 'specified',
} as const satisfies ValueSet;
export type ImportJobKind = keyof typeof importJobKinds;

/** How far a job goes. Accounts have the first four, the other kinds VALIDATE and IMPORT. */
export const importJobGoals = {
  VALIDATE: 'specified',
  STAGE: 'specified',
  REHEARSE: 'specified',
  CREATE: 'specified',
  IMPORT: 'specified',
} as const satisfies ValueSet;
export type ImportJobGoal = keyof typeof importJobGoals;

/** Source of a job's records: uploaded parts, or the accounts staged by the import supplier. */
export const importJobSelections = { uploaded: 'specified', staged: 'specified' } as const satisfies ValueSet;
export type ImportJobSelection = keyof typeof importJobSelections;

/** Lifecycle of a job (docs/suppliers/import-jobs.md). Jobs never fail, only lines do. */
export const importJobStatuses = {
  OPEN: 'specified',
  VALIDATING: 'specified',
  RUNNING: 'specified',
  PAUSED: 'specified',
  COMPLETED: 'specified',
  CANCELLED: 'specified',
  EXPIRED: 'specified',
} as const satisfies ValueSet;
export type ImportJobStatus = keyof typeof importJobStatuses;

export const pauseReasons = {
  asked: 'specified',
  canary: 'specified',
  too_many_failures: 'specified',
  outside_window: 'specified',
  supplier_paused: 'specified',
  staged_accounts_max: 'specified',
  key_revoked: 'specified',
} as const satisfies ValueSet;
export type PauseReason = keyof typeof pauseReasons;

/** Outcome of a line in the results. */
export const lineOutcomes = {
  succeeded: 'specified',
  failed: 'specified',
  unprocessed: 'specified',
} as const satisfies ValueSet;
export type LineOutcomeName = keyof typeof lineOutcomes;

/**
 * State of a line in the database; lines not reached yet have no row. `staged` counts as unprocessed, `quarantined` as failed.
 * @public compared with the column by a test
 */
export const lineStates = {
  staged: 'specified',
  succeeded: 'specified',
  failed: 'specified',
  quarantined: 'specified',
} as const satisfies ValueSet;
export type LineState = keyof typeof lineStates;

/** Faults that only lines of import jobs can have; the single calls do not return them. */
export const lineFaultSentences = {
  duplicate_in_job: 'An earlier line of the job has the same external_account_number.',
  quarantined:
    'The database rejected the account. The line succeeds when operators have corrected the cause and the account is created.',
} as const satisfies Record<string, string>;
export type LineFaultCode = keyof typeof lineFaultSentences;

/** Members that the results of a job add to a record; they are dropped without a warning when the record is sent again. */
export const membersOfResults: readonly string[] = [
  '_errors',
  '_line',
  '_warnings',
  '_record',
  '_record_base64',
  '_key',
];
