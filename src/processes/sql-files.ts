import type { SqlFile } from '../platform/database/apply-sql-files.ts';

/** All SQL functions, each in a file beside the code that calls it; `migrate` runs a file when its text has changed. */
export const sqlFiles: readonly SqlFile[] = [
  'platform/numbers/database-incarnation.sql',
  'platform/numbers/next-account-serial.sql',
  'platform/numbers/take-account-serials.sql',
  'platform/numbers/next-business-id.sql',
  'accounts/account-number.sql',
  'account-import/count/held-up-state.sql',
  'account-import/count/count-staged-account.sql',
  'account-import/count/count-new-accounts.sql',
  'account-import/count/count-changed-account.sql',
  'account-import/count/count-deleted-accounts.sql',
  'account-import/limit/take-creation-slot.sql',
  'account-import/stage/keep-replaced-payload.sql',
  'access/audit/delete-old-audit-entries.sql',
  'access/audit/erase-audit-texts.sql',
  'account-view/payload-changes.sql',
  'notes/insert-notes.sql',
  'notes/attach-unknown-notes.sql',
  'transactions/insert-transactions.sql',
  'transactions/lock-account-for-transactions.sql',
  'transactions/attach-plain-transactions.sql',
  'events/sequence-events.sql',
  'supply-points/populate/tell-ended-batch.sql',
  'supply-points/look-up/complete-look-ups.sql',
  'supply-points/throttle/take-call-slots.sql',
].map((path) => ({ path, url: new URL(`../${path}`, import.meta.url) }));
