import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { AccountTable } from '../accounts/index.ts';
import { writeEventsSql } from '../events/index.ts';
import { kyselyOf, run, type Queryable, type PreparedQuery } from '../platform/database/prepared-query.ts';
import type { PaymentInstructionType, PaymentVendor } from '../vocabulary/value-sets.ts';
import { completeWork } from '../platform/work-items/work-item.store.ts';
import { isInUseElsewhere, lockReference } from './instruction-use.store.ts';
import { IN_USE, outcomeIn, type VerificationAnswer, type VerificationOutcome } from './payment-instruction.rules.ts';
import type { PaymentVerificationTable } from './payment-instruction.entity.ts';

/** A verification without an outcome, with the data for the vendor. */
export interface OpenVerification {
  vendor: PaymentVendor;
  type: PaymentInstructionType;
  reference: string;
  externalAccountNumber: string;
}

/** Finds a verification. @returns undefined if it has an outcome or does not exist */
export async function findOpenVerification(
  database: Queryable,
  verificationId: string,
): Promise<OpenVerification | undefined> {
  return kyselyOf<PaymentVerificationTable & AccountTable>(database)
    .selectFrom('payment_verification as v')
    .innerJoin('account as a', 'a.id', 'v.account_id')
    .select(['v.vendor', 'v.type', 'v.reference', 'a.external_account_number as externalAccountNumber'])
    .where('v.id', '=', verificationId)
    .where('v.outcome', 'is', null)
    .executeTakeFirst();
}

/**
 * Replaces the instruction in force of the same type for the same point, or for the account as a whole. If a later request was verified
 * first, its instruction stays in force, and this one is stored as replaced.
 */
const STORE: PreparedQuery[] = [
  {
    name: 'payment-instruction-replace',
    text: `
      update payment_instruction i set replaced_at = clock_timestamp()
      from payment_verification v
      where v.id = $1 and i.account_id = v.account_id and i.type = v.type and i.point_position is not distinct from v.point_position and i.replaced_at is null
        and not exists (select from payment_verification later where later.id = i.verification_id and later.requested_at > v.requested_at)`,
  },
  {
    name: 'payment-instruction-store',
    text: `
      insert into payment_instruction (account_id, position, point_position, vendor, reference, type, verification_id, verified_at, replaced_at)
      select v.account_id, (select coalesce(max(position) + 1, 0) from payment_instruction where account_id = v.account_id), v.point_position, v.vendor, v.reference, v.type, v.id, clock_timestamp(),
        case when exists (
          select from payment_instruction i
          where i.account_id = v.account_id and i.type = v.type and i.point_position is not distinct from v.point_position and i.verified_at is not null and i.replaced_at is null) then clock_timestamp() end
      from payment_verification v where v.id = $1`,
  },
];

const WRITE_EVENT: PreparedQuery = {
  name: 'payment-verification-event',
  text: writeEventsSql(`
    select a.import_supplier, null, 'payment_instruction.' || v.outcome || '.v1', 'accounts/' || a.external_account_number,
      jsonb_strip_nulls(jsonb_build_object('external_account_number', a.external_account_number, 'service_account_number', a.number, 'vendor', v.vendor, 'type', v.type, 'code', v.reason))
    from payment_verification v join account a on a.id = v.account_id where v.id = $1`),
};

/**
 * Stores the outcome of a verification once and completes its work item. Stores a verified instruction in the same transaction.
 * @returns the stored outcome; if an earlier run stored one, that outcome
 */
export async function completeVerification(
  em: EntityManager,
  verificationId: string,
  workflowId: string,
  answer: VerificationAnswer,
): Promise<VerificationOutcome> {
  await lockAccountOf(em, verificationId);
  const kysely = em.getKysely<PaymentVerificationTable>();
  const found = await kysely
    .selectFrom('payment_verification')
    .select(['outcome', 'reason', 'account_id as accountId', 'vendor', 'reference'])
    .where('id', '=', verificationId)
    .executeTakeFirst();
  if (found?.outcome !== null || answer.kind === 'settled') {
    // An earlier run has stored the outcome. The work item may now belong to a later request, so it is not completed here.
    if (found === undefined) await completeWork(em, [workflowId]);
    return (found && outcomeIn(found)) ?? { kind: 'unknown' };
  }
  const outcome =
    answer.kind === 'usable'
      ? await outcomeOfUsable(em, verificationId, found)
      : { kind: answer.kind === 'refused' ? ('rejected' as const) : ('unreachable' as const), reason: answer.reason };
  await kysely
    .updateTable('payment_verification')
    .set({ outcome: outcome.kind, reason: outcome.reason ?? null, completed_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', verificationId)
    .execute();
  if (outcome.kind === 'verified') {
    for (const statement of STORE) await run(em, statement, [verificationId]);
  }
  await run(em, WRITE_EVENT, [verificationId]);
  await completeWork(em, [workflowId]);
  return outcome;
}

/** Locks the account first, like every transaction that writes rows below it. */
async function lockAccountOf(em: EntityManager, verificationId: string): Promise<void> {
  await em
    .getKysely<PaymentVerificationTable & AccountTable>()
    .selectFrom('account')
    .select('id')
    .where('id', '=', (of) =>
      of.selectFrom('payment_verification').select('account_id').where('id', '=', verificationId),
    )
    .forNoKeyUpdate()
    .execute();
}

/** Locks the reference, so that if two accounts verify one instruction concurrently, the second finds it in force. */
async function outcomeOfUsable(
  em: EntityManager,
  verificationId: string,
  instruction: { accountId: string; vendor: string; reference: string },
): Promise<VerificationOutcome> {
  await lockReference(em, verificationId);
  return (await isInUseElsewhere(em, instruction)) ? { kind: 'rejected', reason: IN_USE } : { kind: 'verified' };
}
