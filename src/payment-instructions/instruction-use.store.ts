import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type Queryable, type PreparedQuery } from '../platform/database/prepared-query.ts';

/** An instruction, identified by its reference at the vendor. */
export interface NamedInstruction {
  accountId: string;
  vendor: string;
  reference: string;
}

/** Instructions in force on other accounts, verified by operation 7 or sent with an account. Account payloads may contain vendors in any case. */
const IN_FORCE_ELSEWHERE = `
  payment_instruction i join account o on o.id = i.account_id
  where hashtextextended(i.reference, 0) = hashtextextended($3, 0) and i.reference = $3 and upper(i.vendor) = upper($2) and i.replaced_at is null and i.account_id <> $1`;
const OWN_SUPPLIER = '(select import_supplier from account where id = $1)';

const OF_ANOTHER_SUPPLIER: PreparedQuery = {
  name: 'payment-instruction-of-another-supplier',
  text: `select 1 from ${IN_FORCE_ELSEWHERE} and o.import_supplier <> ${OWN_SUPPLIER} limit 1`,
};

const OF_SAME_SUPPLIER: PreparedQuery = {
  name: 'payment-instruction-of-same-supplier',
  text: `select o.external_account_number as external from ${IN_FORCE_ELSEWHERE} and o.import_supplier = ${OWN_SUPPLIER} order by o.external_account_number limit 1`,
};

/** Key of the advisory locks by reference. */
const LOCK_KEY = 4_716_205;
const LOCK: PreparedQuery = {
  name: 'payment-instruction-lock-reference',
  text: `select pg_advisory_xact_lock(hashtextextended(reference, ${LOCK_KEY})) from payment_verification where id = $1`,
};

/** Serializes transactions that store the same reference. Call it after locking the account. */
export async function lockReference(em: EntityManager, verificationId: string): Promise<void> {
  await run(em, LOCK, [verificationId]);
}

/** Whether an instruction is in force on an account of another import supplier. */
export async function isInUseElsewhere(
  database: Queryable,
  { accountId, vendor, reference }: NamedInstruction,
): Promise<boolean> {
  return (await run(database, OF_ANOTHER_SUPPLIER, [accountId, vendor, reference])).length > 0;
}

/** Finds another account of the same import supplier on which an instruction is in force. */
export async function findOtherAccountOf(
  database: Queryable,
  { accountId, vendor, reference }: NamedInstruction,
): Promise<string | undefined> {
  return (await run<{ external: string }>(database, OF_SAME_SUPPLIER, [accountId, vendor, reference]))[0]?.external;
}
