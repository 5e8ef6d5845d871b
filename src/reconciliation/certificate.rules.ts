import { keptWithoutCopy, notCompared } from './compare/not-compared.rules.ts';
import { vendorsTold } from './asked-instructions.rules.ts';
import type { ReconciliationRecord } from './reconciliation.store.ts';
import type { Tally } from './tally.rules.ts';

/** What `type` of a certificate says, and the form of what stands in it. */
const CERTIFICATE_TYPE = 'gangway-reconciliation/1';

/** What a certificate states. */
export type Certificate = ReturnType<typeof certificateOf>;

/** What a certificate states of a reconciliation that is completed; the same whenever it is asked for. */
export function certificateOf(record: ReconciliationRecord) {
  const { id, importSupplier, importJobId, tally, version, createdAt, endedAt } = record;
  return {
    type: CERTIFICATE_TYPE,
    reconciliation_id: id,
    import_supplier: importSupplier,
    job_id: importJobId,
    gangway_version: version,
    checked_from: createdAt.toISOString(),
    checked_until: endedAt?.toISOString() ?? null,
    is_equal: tally.different === 0 && isConfirmed(tally),
    accounts: tally.accounts,
    accounts_without_copy: tally.without_copy ?? 0,
    ...(tally.by_hashes === undefined ? {} : { accounts_by_hashes: tally.by_hashes }),
    businesses: tally.businesses,
    different: tally.different,
    values_compared: tally.values,
    differences: tally.differences,
    differences_with_reason: tally.reasons,
    parties: tally.parties,
    // What an earlier version has certified stays as it was.
    ...(tally.vendors === undefined
      ? {}
      : { payment_vendors: vendorsTold(tally), parties_not_asked: PARTIES_NOT_ASKED }),
    sums: pairsOf(tally.sums),
    fields: pairsOf(tally.hashes),
    not_compared: [...notCompared].map(([table, columns]) => ({
      table,
      columns: Object.entries(columns).map(([column, reason]) => ({ column, reason })),
    })),
    kept_without_copy: Object.entries(keptWithoutCopy).map(([kind, reason]) => ({ kind, reason })),
  };
}

/** What nobody outside is asked about, and why. */
const PARTIES_NOT_ASKED = [
  {
    party: 'industry_switch',
    reason:
      'It has no question that changes nothing: a request that is sent again could be a new one. Its answers and market messages, which are kept, are held against our requests.',
  },
];

/** No vendor that was asked says another thing than we have. */
function isConfirmed({ vendors = {} }: Tally): boolean {
  return Object.values(vendors).every(({ different }) => different === 0);
}

/** What was accepted and what is stored, by name. */
export function pairsOf(of: Readonly<Record<string, readonly [string, string]>>) {
  return Object.entries(of)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, [accepted, stored]]) => ({ name, accepted, stored }));
}
