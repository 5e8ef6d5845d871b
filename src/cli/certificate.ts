/** The members of a certificate that the command line reads. */
export interface Certificate {
  type: string;
  reconciliation_id: string;
  import_supplier: string;
  job_id: string | null;
  gangway_version: string;
  checked_from: string;
  checked_until: string;
  is_equal: boolean;
  accounts: number;
  accounts_without_copy: number;
  accounts_by_hashes: number;
  businesses: number;
  different: number;
  values_compared: number;
  differences: Record<string, number>;
  differences_with_reason: Record<string, number>;
  parties: Record<string, number>;
  payment_vendors: QueriedVendor[];
  parties_not_asked: { party: string; reason: string }[];
  sums: Pair[];
  fields: Pair[];
  not_compared: { table: string; columns: { column: string; reason: string }[] }[];
  kept_without_copy: { kind: string; reason: string }[];
}

interface QueriedVendor {
  vendor: string;
  in_force: number;
  asked: number;
  different: number;
  not_asked: { reason: string; instructions: number }[];
}

interface Pair {
  name: string;
  accepted: string;
  stored: string;
}
