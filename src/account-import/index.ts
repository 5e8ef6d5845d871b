/** Public interface of the account import. */
export {
  findAccountCounts,
  findAccountDays,
  findCountMinutes,
  type AccountCounts,
  type AccountDayCount,
  type EnteredInMinute,
} from './count/account-counts.store.ts';
export { concurrencyLimit } from './limit/concurrency-limit.route.ts';
export { findConcurrencyLimit } from './limit/creation-slot.store.ts';
export { countSlotsInUse } from './limit/creation-slot.store.ts';
export { findImportedAccounts, findStagedPayload } from './list/import-process.store.ts';
export { findStagedCauses } from './list/staged-causes.store.ts';
export { findPayloadWarnings } from './validate/account-warnings.validation.ts';
export { findStagingWarnings, findWarningsOfStaged } from './stage/staging-warnings.store.ts';
export { changeMark } from './skip/skip-mark.route.ts';
/** Used by import jobs: validation of payloads, staging and creation in batches. */
export { checkAccountPayload, refuseMissingDocuments, stagedForm } from './validate/account-payload.validation.ts';
export { stageAccounts, type StagedAccount, type StagingOutcome } from './stage/stage-account.store.ts';
export { findStagedCapacity } from './stage/staged-quota.store.ts';
export { alreadyImported } from './stage/already-imported.rules.ts';
export { createFromStaged, type CreationContext } from './create/create-account.store.ts';
export { bisectCreation } from './create/quarantine.store.ts';
export { refuseMissingStagedDocuments } from './create/check-staged-documents.validation.ts';
export { quarantine } from './create/quarantine.store.ts';
export type { CreationEntry, CreationOutcome } from './create/create-account.rules.ts';
export type { CreationActivity } from './create/creation-activity.queue.ts';
/** Used by the check of Postgres against Temporal. */
export { findQuarantined } from './create/quarantine.store.ts';
export { findLostSlots, lostSlotAgeSeconds } from './limit/free-lost-slots.client.ts';
export { freeOldSlots } from './limit/creation-slot.store.ts';
export { ImportProcess, ImportProcessRevision, type ImportProcessTable } from './import-process.entity.ts';
export {
  addToWave,
  excludeRecords,
  findFaultyMembers,
  findInOtherWaves,
  findJoinableWave,
  HOLD_SWITCHES_HOURS,
  type Joining,
  lockRevisions,
  markRehearsed,
  moveToWave,
  readNumbers,
  releaseMembers,
} from './wave/wave-members.store.ts';
