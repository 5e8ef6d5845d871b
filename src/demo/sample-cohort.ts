import { sampleDomesticAccount } from './sample.ts';

const DAY_MS = 86_400_000;
/** Supply starts so late that none of the switches is due while the demo runs. */
const SUPPLY_STARTS_IN_DAYS = 300;

type Account = ReturnType<typeof cohortAccount>;

/** Accounts of one point each, that share nothing. */
export function sampleCohort(importSupplier: string, run: string, count: number): Account[] {
  const first = (Date.now() % 1_000_000) * 10_000;
  return Array.from({ length: count }, (_, index) =>
    cohortAccount(importSupplier, `J-${run}-${index + 1}`, `26${String(first + index).padStart(12, '0')}`),
  );
}

function cohortAccount(importSupplier: string, number: string, identifier: string) {
  const { customers, supply_addresses: addresses, ...account } = sampleDomesticAccount(importSupplier, number);
  const { statements: _statements, notes: _notes, payment_preferences: _preferences, ...plain } = account;
  const [address] = addresses;
  const starts = new Date(Date.now() + SUPPLY_STARTS_IN_DAYS * DAY_MS).toISOString().slice(0, 10);
  return {
    ...plain,
    customers,
    supply_addresses: [
      {
        ...address!,
        supply_points: [
          {
            identifier,
            supply_type: 'ELECTRICITY',
            supply_start_date: starts,
            agreements: [{ tariff_code: 'ELEC-BASE-2026', effective_from: starts }],
            payment_instructions: [{ vendor: 'GOCARDLESS', reference: `MD${identifier}`, type: 'DIRECT_DEBIT' }],
          },
        ],
      },
    ],
  };
}

/** The accounts as a first export has them: some faults of a system, and some of hands. */
export function spoil(cohort: readonly Account[]): Record<string, unknown>[] {
  const faults: ((account: Account) => Record<string, unknown>)[] = [
    (account) => ({ ...account, account_type: 'HOUSEHOLD' }),
    (account) => ({ ...account, last_billed_to_date: '2026-02-30' }),
    (account) => ({ ...account, customers: account.customers.map((customer) => ({ ...customer, mobile: '06 12' })) }),
    (account) => ({
      ...account,
      supply_addresses: account.supply_addresses.map((address) => ({
        ...address,
        supply_points: address.supply_points.map((point) => ({ ...point, identifier: point.identifier.slice(1) })),
      })),
    }),
  ];
  // Every thirtieth has one; every hundredth has a member of another spelling, which is only warned of.
  return cohort.map((account, index) => {
    const fault = index % 30 === 11 ? faults[(index % 7) % faults.length] : undefined;
    if (fault !== undefined) return fault(account);
    return index % 100 === 3 ? { ...account, billingPostCode: account.billing_postcode } : account;
  });
}
