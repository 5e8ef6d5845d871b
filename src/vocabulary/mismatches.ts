import { setOf } from './value-sets.ts';

/** Findings of the check of Postgres against Temporal. */
export const mismatchKinds = setOf('own', [
  'open_without_work_item',
  'work_item_without_run',
  'run_without_work_item',
  'slot_without_holder',
  'account_quarantined',
  'message_without_account',
  'rows_without_partition',
]);
export type MismatchKind = keyof typeof mismatchKinds;

/** What to do about each finding. */
export const mismatchRemedies = {
  open_without_work_item:
    'Repair it: the work is open in the database, but no run will continue it. The repair stores its work item and starts its run.',
  work_item_without_run:
    'Repair it, or wait: Temporal does not know its run. The repair starts it immediately; the dispatcher starts it later.',
  run_without_work_item:
    'Repair it: the run in Temporal belongs to no open work in the database. The repair terminates the run.',
  slot_without_holder:
    'Repair it: the creation that holds the slot has ended. The repair frees the slot; API processes also do so.',
  account_quarantined:
    'Investigate: the database rejects its data, or its creation takes too long. Stage corrected data, or mark it to skip.',
  message_without_account:
    'Investigate: if a restore lost the account, ask for it to be sent again; the message is then applied automatically. Otherwise assign or dismiss it.',
  rows_without_partition:
    'Repair it: the partition of a month was not made in time, so its rows are in the default partition. The repair makes it and moves them. If the finding remains, run `migrate`.',
} as const satisfies Record<MismatchKind, string>;
