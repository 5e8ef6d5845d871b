import { sql } from 'kysely';
import { type Actor, MASK, recordAudit } from '../access/index.ts';
import { decodeTextCursor, encodeTextCursor } from '../foundation/keyset-pages.ts';
import type { Database } from '../platform/database/database.ts';
import { kyselyOf } from '../platform/database/prepared-query.ts';
import { type Refused, refuse } from '../vocabulary/refusals.ts';
import { violation } from '../vocabulary/violations.ts';
import type { BusinessTable } from './business.entity.ts';

/** A business in a list. */
export interface ListedBusiness {
  import_supplier: string;
  external_business_identifier: string;
  service_business_id: number;
  company_name: string;
  business_type: string | null;
  siret: string | null;
  /** Counted up to `ACCOUNTS_COUNTED_MAX`, with a plus sign if there are more. */
  accounts: string;
  created_at: string;
}

/** Accounts of a business that are counted. */
const ACCOUNTS_COUNTED_MAX = 20;
/** Behind every text. */
const LAST_TEXT = String.fromCodePoint(0x10ffff);

const ACCOUNTS = sql<string>`
  (select case when count(*) > ${ACCOUNTS_COUNTED_MAX} then ${sql.lit(`${ACCOUNTS_COUNTED_MAX}+`)} else count(*)::text end
    from (select true from business_contract c
      join lateral (select true from account a where a.business_contract_id = c.id limit ${ACCOUNTS_COUNTED_MAX + 1}) linked on true
      where c.business_id = b.id limit ${ACCOUNTS_COUNTED_MAX + 1}) counted)`;

const COLUMNS = [
  'import_supplier',
  'external_business_identifier',
  'service_business_id',
  'company_name',
  'business_type',
  'siret',
] as const;

/** A page of businesses. */
export interface WantedBusinesses {
  importSupplier: string | undefined;
  /** `-service_business_id` for the newest first, only without an import supplier; otherwise by supplier and identifier. */
  sort: string;
  cursor: string | undefined;
  limit: number;
  /** Whether the person may see names, which may be those of people. */
  isOpen: boolean;
}

/** Lists businesses in the order of a key. A read of names is audited. */
export async function listBusinesses(
  database: Database,
  actor: Actor,
  { importSupplier, sort, cursor, limit, isOpen }: WantedBusinesses,
): Promise<{ rows: ListedBusiness[]; next: string | undefined } | Refused> {
  const after = cursor === undefined ? [importSupplier ?? '', ''] : decodeTextCursor(cursor);
  if (after?.length !== 2 || after.some((part) => part.includes('\0'))) {
    return refuse('validation_failed', { violations: [violation('invalid', ['cursor'], 'Start at the first page.')] });
  }
  // Postgres cannot store this character in text, so no supplier has this code.
  if (importSupplier?.includes('\0')) return { rows: [], next: undefined };
  const isNewest = sort === '-service_business_id' && importSupplier === undefined;
  const [, last] = after;
  const before = cursor !== undefined && /^\d{1,10}$/.test(last ?? '') ? Number(last) : INTEGER_MAX;
  const businesses = kyselyOf<BusinessTable>(database)
    .selectFrom('business as b')
    .select(COLUMNS)
    .select(sql<string>`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`.as('created_at'))
    .select(ACCOUNTS.as('accounts'))
    .limit(limit + 1);
  const found: ListedBusiness[] = await (
    isNewest
      ? businesses
          .where('service_business_id', '<', Math.min(before, INTEGER_MAX))
          .orderBy('service_business_id', 'desc')
      : businesses
          .where(({ eb, refTuple, tuple }) =>
            eb(refTuple('import_supplier', 'external_business_identifier'), '>', tuple(after[0]!, after[1]!)),
          )
          .where('import_supplier', '<=', importSupplier ?? LAST_TEXT)
          .orderBy('import_supplier')
          .orderBy('external_business_identifier')
  ).execute();
  if (isOpen) await recordAudit(database, actor, { action: 'business.read', subject: 'businesses' });
  const rows = found.slice(0, limit);
  const end = found.length > limit ? rows.at(-1) : undefined;
  const keyOf = (one: ListedBusiness) =>
    isNewest ? ['', String(one.service_business_id)] : [one.import_supplier, one.external_business_identifier];
  return {
    rows: isOpen ? rows : rows.map((one) => ({ ...one, company_name: MASK })),
    next: end && encodeTextCursor(keyOf(end)),
  };
}

const INTEGER_MAX = 2_147_483_647;
