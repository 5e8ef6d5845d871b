import { tableOf } from '../../foundation/table.ts';

/** Columns below an account that no payload decides, each with the reason; `*` is all that are left of a table. */
export const notCompared = tableOf({
  account: {
    id: 'Our own key.',
    number: 'Taken from a sequence.',
    creation_id: 'The request that created the account.',
    import_process_id: 'The account is found by it; another one shows as a missing account.',
    operations_team: 'Named by the request that created the account, of which no copy is kept.',
    switch_status: 'Follows from its supply points, which the industry switch moves.',
  },
  account_supply_point: {
    switch_status: 'Moved by the industry switch.',
    switch_round: 'Counts how often the industry switch was begun.',
    held_since: 'Set while the point stands on another account too.',
    released_at: 'Set by operators.',
  },
  statement: { accepted_hashes: 'What was accepted, as hashes: the other columns are compared with it.' },
  transaction: {
    sent: 'What was accepted: the other columns are compared with it.',
    created_at: 'The moment of the request, of which no copy is kept.',
  },
  payment_verification: { '*': 'Written by the verification at the payment vendor.' },
  switch_request: { '*': 'Written when the industry switch is asked.' },
  switch_change: { '*': 'Written when the industry switch moves a point.' },
});

/** Data without a copy that it could be compared with. */
export const keptWithoutCopy = {
  notes:
    'A note that came after the creation is known by the hash of its body, or of its documents; whether it was pinned, when it was created and the documents beside a body cannot be compared.',
  statements:
    'A historical statement that came after the creation is compared with the hashes of its values that were kept then; that it is gone is not seen. Of one that came before hashes were kept there is nothing but the statement itself.',
  businesses:
    'Of a business and its contracts nothing is kept but their rows: only what these must agree on is compared.',
  payment_instructions: 'One that came after the creation is compared with what its vendor was asked.',
  transactions:
    'A transaction is compared with what was sent of it; that the newest one is gone is seen only where items of it are left.',
} as const;
