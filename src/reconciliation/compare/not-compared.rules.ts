import { tableOf } from '../../foundation/table.ts';

/** Columns that do not follow from a payload, with the reason; `*` stands for all other columns of a table. */
export const notCompared = tableOf({
  account: {
    id: 'Our own key.',
    number: 'Taken from a sequence.',
    creation_id: 'The request that created the account.',
    import_process_id: 'The account is found by it; a different value shows as a missing account.',
    operations_team: 'Sent in the request that created the account, of which no copy is stored.',
    switch_status: 'Follows from its supply points, which the industry switch changes.',
    switch_not_before: 'Set by the wave that created the account.',
  },
  account_supply_point: {
    switch_status: 'Changed by the industry switch.',
    switch_round: 'Counts the starts of the industry switch.',
    held_since: 'Set while another account also has the point.',
    released_at: 'Set by operators.',
  },
  note: { import_job_id: 'The import job that added it.' },
  statement: {
    accepted_hashes: 'Hashes of the accepted data, with which the other columns are compared.',
    import_job_id: 'The import job that added it.',
  },
  transaction: {
    sent: 'The accepted data, with which the other columns are compared.',
    created_at: 'The time of the request, of which no copy is stored.',
    import_job_id: 'The import job that added it.',
  },
  payment_verification: { '*': 'Written by the verification at the payment vendor.' },
  switch_request: { '*': 'Written when the industry switch is requested.' },
  switch_change: { '*': 'Written when the industry switch changes a point.' },
});

/** Data that cannot be compared fully, because no copy of it is stored. */
export const keptWithoutCopy = {
  notes:
    'A note added after the creation is recognized by the hash of its body or of its documents. Whether it is pinned, when it was created, and the documents of a note with a body cannot be compared.',
  statements:
    'A historical statement added after the creation is compared with the hashes stored with it; a missing one is not detected. One without hashes cannot be compared.',
  businesses: 'Of businesses and contracts only the rows are stored, so only their consistency is checked.',
  payment_instructions: 'An instruction added after the creation is compared with its verification.',
  transactions:
    'A transaction is compared with the sent data. If the newest one is missing, this is detected only if some of its items remain.',
} as const;
