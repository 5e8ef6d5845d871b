import type { BusinessTable } from '../businesses/index.ts';
import { kyselyOf, type PreparedQuery, type Queryable, run } from '../platform/database/prepared-query.ts';
import type { ImportStatus } from '../vocabulary/account-list.ts';
import type { SwitchStatus } from '../vocabulary/switch-statuses.ts';

/** An account as a list of results shows it to people who may see contact data. */
export interface FoundAccount {
  importSupplier: string;
  external: string;
  /** Null until the account is created. */
  person: string | null;
  place: string | null;
  status: ImportStatus;
  switchStatus: SwitchStatus | null;
}

/** Reads each account by its keys. */
const ACCOUNTS: PreparedQuery = {
  name: 'found-accounts',
  text: `
    select p.import_supplier as "importSupplier", p.external_account_number as external,
      (select concat_ws(' ', c.given_name, c.family_name) from customer c where c.account_id = a.id order by c.position limit 1) as person,
      nullif(concat_ws(' ', a.billing_postcode, coalesce(a.billing_address4, a.billing_address3, a.billing_address2)), '') as place,
      case when a.id is not null then 'CREATED' when p.skipped_at is not null then 'SKIPPED' when p.refusal is not null then 'REFUSED' else 'STAGED' end as status,
      a.switch_status as "switchStatus"
    from unnest($1::text[], $2::text[]) wanted (supplier, external)
      join lateral (select * from import_process found where found.import_supplier = wanted.supplier and found.external_account_number = wanted.external limit 1) p on true
      left join lateral (select * from account found where found.import_process_id = p.id limit 1) a on true`,
};

/** Describes accounts that a search has found: their first customer, town and state. */
export async function describeAccounts(
  on: Queryable,
  accounts: readonly { import_supplier: string; id: string }[],
): Promise<FoundAccount[]> {
  if (accounts.length === 0) return [];
  const keys = [accounts.map((one) => one.import_supplier), accounts.map(({ id }) => id)];
  return run<FoundAccount & Record<string, unknown>>(on, ACCOUNTS, keys);
}

/** Returns the names of businesses by their service number. */
export async function findCompanyNames(on: Queryable, numbers: readonly string[]): Promise<Map<string, string>> {
  if (numbers.length === 0) return new Map();
  const found = await kyselyOf<BusinessTable>(on)
    .selectFrom('business')
    .select(['service_business_id', 'company_name'])
    .where('service_business_id', 'in', numbers.map(Number))
    .execute();
  return new Map(found.map((one) => [String(one.service_business_id), one.company_name]));
}
