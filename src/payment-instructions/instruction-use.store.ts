import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { AccountTable } from '../accounts/index.ts';
import { kyselyOf, type Queryable } from '../platform/database/prepared-query.ts';
import type { PaymentInstructionTable } from './payment-instruction.entity.ts';

/** An instruction, identified by its reference at the vendor. */
export interface NamedInstruction {
  accountId: string;
  vendor: string;
  reference: string;
}

/** Key of the advisory locks by reference. */
const LOCK_KEY = 4_716_205;

/** Serializes transactions that store the same reference. Call it after locking the account. */
export async function lockReference(em: EntityManager, reference: string): Promise<void> {
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, ?))', [reference, LOCK_KEY]);
}

/** Whether an instruction is in force on an account of another import supplier. */
export async function isInUseElsewhere(on: Queryable, instruction: NamedInstruction): Promise<boolean> {
  return (await inForceElsewhere(on, '<>', instruction).executeTakeFirst()) !== undefined;
}

/** Finds another account of the same import supplier on which an instruction is in force. */
export async function findOtherAccountOf(on: Queryable, instruction: NamedInstruction): Promise<string | undefined> {
  const found = await inForceElsewhere(on, '=', instruction).orderBy('o.external_account_number').executeTakeFirst();
  return found?.external;
}

/**
 * An account on which an instruction is in force, verified by operation 7 or sent with the account. Account payloads may contain vendors in
 * any case.
 * @param supplier whether the import supplier of the account equals the own one
 */
function inForceElsewhere(on: Queryable, supplier: '=' | '<>', { accountId, vendor, reference }: NamedInstruction) {
  return kyselyOf<PaymentInstructionTable & AccountTable>(on)
    .selectFrom('payment_instruction as i')
    .innerJoin('account as o', 'o.id', 'i.account_id')
    .select('o.external_account_number as external')
    .where(sql`hashtextextended(i.reference, 0)`, '=', sql`hashtextextended(${reference}, 0)`)
    .where('i.reference', '=', reference)
    .where(sql`upper(i.vendor)`, '=', vendor.toUpperCase())
    .where('i.replaced_at', 'is', null)
    .where('i.account_id', '<>', accountId)
    .where('o.import_supplier', supplier, (of) =>
      of.selectFrom('account').select('import_supplier').where('id', '=', accountId),
    )
    .limit(1);
}
