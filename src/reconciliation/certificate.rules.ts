import { pendingQueriesOf, viewVendors } from './queried-instructions.rules.ts';
import { CANONICALIZATION } from './compare/hashed-lines.rules.ts';
import type { ReconciliationRecord } from './reconciliation.store.ts';
import type { Tally } from './tally.rules.ts';
import { membersOf, paymentVendors } from '../vocabulary/value-sets.ts';
import { reconciliationBudget, workflowIds } from '../../temporal.config.ts';
import { tableOf } from '../foundation/table.ts';

/** The `type` of a certificate, which contains the version of its format. */
const CERTIFICATE_TYPE = 'gangway-reconciliation/1';

/** The contents of a certificate. */
export type Certificate = ReturnType<typeof certificateOf>;

/** The certificate of a completed reconciliation; it does not depend on the time of the request. */
export function certificateOf(record: ReconciliationRecord) {
  const { id, importSupplier, importJobId, tally, manifests, version, createdAt, endedAt } = record;
  return {
    type: CERTIFICATE_TYPE,
    reconciliation_id: id,
    import_supplier: importSupplier,
    job_id: importJobId ?? null,
    gangway_version: version,
    canonicalization: CANONICALIZATION,
    checked_from: createdAt.toISOString(),
    checked_until: endedAt?.toISOString() ?? null,
    is_equal: tally.different === 0 && isConfirmed(tally),
    accounts: tally.accounts,
    accounts_without_copy: tally.without_copy,
    accounts_by_hashes: tally.by_hashes,
    accounts_withdrawn: tally.withdrawn,
    businesses: tally.businesses,
    different: tally.different,
    values_compared: tally.values,
    differences: tally.differences,
    differences_with_reason: tally.reasons,
    parties: tally.parties,
    payment_vendors: viewVendors(tally),
    parties_not_asked: PARTIES_NOT_QUERIED,
    sums: pairsOf(tally.sums),
    balances: balancesOf(tally),
    manifests: manifests ?? [],
    fields: pairsOf(tally.hashes),
    not_compared: [...notCompared].map(([table, columns]) => ({
      table,
      columns: Object.entries(columns).map(([column, reason]) => ({ column, reason })),
    })),
    kept_without_copy: Object.entries(keptWithoutCopy).map(([kind, reason]) => ({ kind, reason })),
  };
}

/** Parties that are not queried, with the reason. */
const PARTIES_NOT_QUERIED = [
  {
    party: 'industry_switch',
    reason:
      'It offers no read-only request: a request that is sent again could be a new one. Its stored responses and market messages are compared with our requests.',
  },
];

/** Whether the responses of all queried vendors agree with our records. */
function isConfirmed({ vendors }: Tally): boolean {
  return Object.values(vendors).every(({ different }) => different === 0);
}

/** The total of opening balances, with a digest over the balance of each account. */
function balancesOf({ balances: { accounts, sum, digest } }: Tally) {
  return { accounts, accepted: sum[0], stored: sum[1], digest: { accepted: digest[0], stored: digest[1] } };
}

/** Pairs of accepted and stored values, by name. */
function pairsOf(of: Readonly<Record<string, readonly [string, string]>>) {
  return Object.entries(of)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, [accepted, stored]]) => ({ name, accepted, stored }));
}

export type ReconciliationView = ReturnType<typeof viewOfReconciliation>;

/**
 * Builds the view of a reconciliation for responses.
 * @param total number of created accounts to compare; undefined once it has ended
 */
export function viewOfReconciliation(record: ReconciliationRecord, total: number | undefined, now: Date) {
  const { id, importSupplier, importJobId, status, tally, listed, createdAt, endedAt } = record;
  const {
    hashes: _hashes,
    vendors: _vendors,
    progress: _progress,
    balances: _balances,
    compared_at: comparedAt,
    sums,
    ...counts
  } = tally;
  return {
    reconciliation_id: id,
    import_supplier: importSupplier,
    job_id: importJobId ?? null,
    status,
    counts: { ...counts, differences_listed: listed },
    payment_vendors: viewVendors(tally),
    accounts_in_all: total ?? null,
    estimated_end_at: total === undefined ? null : (endAtPace(record, total, now)?.toISOString() ?? null),
    sums: pairsOf(sums),
    workflow_id: workflowIds.reconcile(id),
    created_at: createdAt.toISOString(),
    compared_at: comparedAt ?? null,
    ended_at: endedAt?.toISOString() ?? null,
  };
}

/** Estimates the end at the current rate; undefined before the first account. Vendors are queried concurrently at their own rate. */
function endAtPace(
  { tally, createdAt }: Pick<ReconciliationRecord, 'tally' | 'createdAt'>,
  total: number,
  now: Date,
): Date | undefined {
  const { accounts, compared_at: comparedAt } = tally;
  if (accounts === 0) return undefined;
  const passed = Math.max(0, now.getTime() - createdAt.getTime());
  const comparing = comparedAt === undefined ? (passed * Math.max(0, total - accounts)) / accounts : 0;
  const questions = membersOf(paymentVendors).map((vendor) => pendingQueriesOf(tally, vendor));
  return new Date(now.getTime() + Math.max(comparing, Math.max(...questions) * reconciliationBudget.queries.spacingMs));
}

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
const keptWithoutCopy = {
  notes:
    'A note added after the creation is recognized by the hash of its body or of its documents. Whether it is pinned, when it was created, and the documents of a note with a body cannot be compared.',
  statements:
    'A historical statement added after the creation is compared with the hashes stored with it; a missing one is not detected. One without hashes cannot be compared.',
  businesses: 'Of businesses and contracts only the rows are stored, so only their consistency is checked.',
  payment_instructions: 'An instruction added after the creation is compared with its verification.',
  transactions:
    'A transaction is compared with the sent data. If the newest one is missing, this is detected only if some of its items remain.',
} as const;
