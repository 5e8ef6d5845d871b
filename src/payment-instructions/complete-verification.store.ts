import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { AccountTable } from '../accounts/index.ts';
import { writeEventsSql } from '../events/index.ts';
import { kyselyOf, run, type Askable, type PreparedQuery } from '../platform/database/prepared-query.ts';
import type { PaymentInstructionType, PaymentVendor } from '../vocabulary/value-sets.ts';
import { completeWork } from '../platform/work-items/work-item.store.ts';
import { isInUseElsewhere, lockReference } from './instruction-use.store.ts';
import { IN_USE, outcomeIn, type VerificationAnswer, type VerificationOutcome } from './payment-instruction.rules.ts';
import type { PaymentVerificationTable } from './payment-verification.entity.ts';

/** What an attempt has to know to ask. */
export interface OpenVerification {
  vendor: PaymentVendor;
  type: PaymentInstructionType;
  reference: string;
  externalAccountNumber: string;
}

/** The verification, unless it has its outcome. */
export async function findOpenVerification(
  database: Askable,
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
 * What was in force of its type for the same point, or for the account as a whole, is kept and is no longer; but what was
 * asked for later and verified sooner stays in force, and the instruction is written as one that it has replaced.
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

const TELL: PreparedQuery = {
  name: 'payment-verification-tell',
  text: writeEventsSql(`
    select a.import_supplier, null, 'payment_instruction.' || v.outcome || '.v1', 'accounts/' || a.external_account_number,
      jsonb_strip_nulls(jsonb_build_object('external_account_number', a.external_account_number, 'service_account_number', a.number, 'vendor', v.vendor, 'type', v.type, 'code', v.reason))
    from payment_verification v join account a on a.id = v.account_id where v.id = $1`),
};

/**
 * Writes the outcome down, once: a second run finds the first one's and changes nothing. A verified instruction is
 * stored by the same transaction, which also completes the work.
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
    // Completed by an earlier run that nobody heard of. What is pending under this id by now may belong to a later request.
    if (found === undefined) await completeWork(em, [workflowId]);
    return (found && outcomeIn(found)) ?? { kind: 'unknown' };
  }
  const outcome =
    answer.kind === 'usable'
      ? await mayComeIntoForce(em, verificationId, found)
      : { kind: answer.kind === 'refused' ? ('rejected' as const) : ('unreachable' as const), reason: answer.reason };
  await kysely
    .updateTable('payment_verification')
    .set({ outcome: outcome.kind, reason: outcome.reason ?? null, completed_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', verificationId)
    .execute();
  if (outcome.kind === 'verified') {
    for (const statement of STORE) await run(em, statement, [verificationId]);
  }
  await run(em, TELL, [verificationId]);
  await completeWork(em, [workflowId]);
  return outcome;
}

/** The account's row goes first, as in every transaction that writes below it. */
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

/** Of two accounts that verify one instruction at the same moment, the later one finds it in force. */
async function mayComeIntoForce(
  em: EntityManager,
  verificationId: string,
  instruction: { accountId: string; vendor: string; reference: string },
): Promise<VerificationOutcome> {
  await lockReference(em, verificationId);
  return (await isInUseElsewhere(em, instruction)) ? { kind: 'rejected', reason: IN_USE } : { kind: 'verified' };
}
