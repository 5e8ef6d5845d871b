import { setOf } from './value-sets.ts';

/** Kinds of records of an import job. A line is the body of the single call of its kind. */
export const importJobKinds = setOf('own', [
  'accounts',
  'businesses',
  'business-contracts',
  'notes',
  'transactions',
  'statements',
  'payment-instructions',
]);
export type ImportJobKind = keyof typeof importJobKinds;

/** Kinds that are imported before accounts are created, in the order in which they refer to each other. */
export const kindsBeforeCreation: readonly ImportJobKind[] = ['businesses', 'business-contracts', 'accounts'];
/** Kinds that are attached to created accounts. */
export const attachedKinds: readonly ImportJobKind[] = ['notes', 'transactions', 'statements', 'payment-instructions'];

/** How far a job goes. Accounts have the first four, the other kinds VALIDATE and IMPORT. */
export const importJobGoals = setOf('own', ['VALIDATE', 'STAGE', 'REHEARSE', 'CREATE', 'IMPORT']);
export type ImportJobGoal = keyof typeof importJobGoals;

/** Source of a job's records: uploaded parts, the accounts staged by the import supplier, or the members of a wave. */
export const importJobSelections = setOf('own', ['uploaded', 'staged', 'wave']);
export type ImportJobSelection = keyof typeof importJobSelections;

/** Lifecycle of a job (docs/suppliers/import-jobs.md). Jobs never fail, only lines do. */
export const importJobStatuses = setOf('own', [
  'OPEN',
  'VALIDATING',
  'RUNNING',
  'PAUSED',
  'COMPLETED',
  'CANCELLED',
  'EXPIRED',
]);
export type ImportJobStatus = keyof typeof importJobStatuses;

export const pauseReasons = setOf('own', [
  'asked',
  'canary',
  'too_many_failures',
  'outside_window',
  'supplier_paused',
  'staged_accounts_max',
  'key_revoked',
  'manifest_mismatch',
]);
export type PauseReason = keyof typeof pauseReasons;

/** The `type` of a manifest, which contains the version of its format. */
export const manifestTypes = setOf('own', ['gangway-manifest/1']);

/** How accepted records compare with a manifest. `accepted`: an operator accepted exactly the totals that differ. */
export const manifestStates = setOf('own', ['counting', 'agrees', 'differs', 'accepted']);
export type ManifestState = keyof typeof manifestStates;

/** Outcome of a line in the results. */
export const lineOutcomes = setOf('own', ['succeeded', 'failed', 'unprocessed']);
export type LineOutcomeName = keyof typeof lineOutcomes;

/**
 * State of a line in the database; lines not reached yet have no row. `staged` counts as unprocessed, `quarantined` as failed.
 * @public compared with the column by a test
 */
export const lineStates = setOf('own', ['staged', 'succeeded', 'failed', 'quarantined']);
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
