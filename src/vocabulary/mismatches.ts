import type { ValueSet } from './value-sets.ts';

/** What a check of Postgres against Temporal finds. */
export const mismatchKinds = {
  open_without_work_item: 'specified',
  work_item_without_run: 'specified',
  run_without_work_item: 'specified',
  slot_without_holder: 'specified',
  account_quarantined: 'specified',
  message_without_account: 'specified',
} as const satisfies ValueSet;
export type MismatchKind = keyof typeof mismatchKinds;

/** What to do about each. */
export const mismatchRemedies = {
  open_without_work_item:
    'Mend: it is open in the database, and nothing would ever go on with it. Mending writes its work item and starts its run.',
  work_item_without_run:
    'Mend, or wait: Temporal does not know its run. Mending starts it at once; the dispatcher does so later.',
  run_without_work_item: 'Mend: it runs in Temporal for what is not open in the database. Mending terminates the run.',
  slot_without_holder: 'Mend: the creation that holds the slot is over. Mending frees it; so does each API process.',
  account_quarantined:
    'Look at it: the database refuses its data, or it takes too long. Stage corrected data, or mark it to skip.',
  message_without_account:
    'Look at it: have the account sent again if a restore lost it; the message is applied by itself then. Else assign or dismiss it.',
} as const satisfies Record<MismatchKind, string>;
