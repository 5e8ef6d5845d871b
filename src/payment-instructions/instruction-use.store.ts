import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';

/** An instruction, identified by its reference at the vendor. */
export interface NamedInstruction {
  accountId: string;
  vendor: string;
  reference: string;
}

/** Key of the advisory locks by reference. */
const LOCK_KEY = 4_716_205;

const LOCK_REFERENCES: PreparedQuery = {
  name: 'payment-lock-references',
  text: `
    select pg_advisory_xact_lock(l.hash)::text as locked
    from (select distinct hashtextextended(n.reference, ${LOCK_KEY}) as hash from unnest($1::text[]) as n (reference) order by 1) l`,
};

/** Serializes transactions that store the same references. Call it after locking the accounts. */
export async function lockReferences(em: EntityManager, references: readonly string[]): Promise<void> {
  if (references.length > 0) await run(em, LOCK_REFERENCES, [references]);
}

/**
 * SQL of another account on which an instruction is in force, verified by operation 7 or sent with the account. Account payloads may contain
 * vendors in any case.
 * @param instruction expressions
 * @param supplier whether the import supplier of the account equals the own one
 */
export const otherAccountSql = ({ accountId, vendor, reference }: NamedInstruction, supplier: '=' | '<>'): string => `
  select o.external_account_number as external
  from payment_instruction i join account o on o.id = i.account_id
  where hashtextextended(i.reference, 0) = hashtextextended(${reference}, 0) and i.reference = ${reference} and upper(i.vendor) = upper(${vendor})
    and i.replaced_at is null and i.account_id <> ${accountId}
    and o.import_supplier ${supplier} (select a.import_supplier from account a where a.id = ${accountId})
  order by o.external_account_number limit 1`;

const OTHER_ACCOUNTS: PreparedQuery = {
  name: 'payment-other-accounts',
  text: `
    select n.i::integer as i, o.external from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as n (account_id, vendor, reference, i)
      cross join lateral (${otherAccountSql({ accountId: 'n.account_id', vendor: 'n.vendor', reference: 'n.reference' }, '=')}) o`,
};

/** Finds for each instruction another account of the same import supplier on which it is in force. */
export async function findOtherAccounts(
  on: Queryable,
  instructions: readonly NamedInstruction[],
): Promise<(string | undefined)[]> {
  if (instructions.length === 0) return [];
  const rows = await run<{ i: number; external: string }>(on, OTHER_ACCOUNTS, [
    instructions.map(({ accountId }) => accountId),
    instructions.map(({ vendor }) => vendor),
    instructions.map(({ reference }) => reference),
  ]);
  const found = new Map(rows.map(({ i, external }) => [i - 1, external]));
  return instructions.map((_, index) => found.get(index));
}
