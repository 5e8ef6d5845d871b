import { raw, type EntityManager } from '@mikro-orm/postgresql';
import type { AccountTable } from '../accounts/index.ts';
import { writeEvents } from '../events/index.ts';
import { kyselyOf, type Queryable } from '../platform/database/prepared-query.ts';
import type { PaymentInstructionType, PaymentVendor } from '../vocabulary/value-sets.ts';
import { completeWork } from '../platform/work-items/work-item.store.ts';
import { isInUseElsewhere, lockReference } from './instruction-use.store.ts';
import { IN_USE, outcomeIn, type VerificationAnswer, type VerificationOutcome } from './payment-instruction.rules.ts';
import {
  PaymentInstruction,
  PaymentVerification,
  type PaymentInstructionTable,
  type PaymentVerificationTable,
} from './payment-instruction.entity.ts';

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
 * Stores the outcome of a verification once and completes its work item. Stores a verified instruction in the same transaction.
 * @returns the stored outcome; if an earlier run stored one, that outcome
 */
export async function completeVerification(
  em: EntityManager,
  verificationId: string,
  workflowId: string,
  answer: VerificationAnswer,
): Promise<VerificationOutcome> {
  const account = await lockAccountOf(em, verificationId);
  const found = await em.findOne(PaymentVerification, { id: verificationId });
  if (account === undefined || found === null || found.outcome || answer.kind === 'settled') {
    // An earlier run has stored the outcome. The work item may now belong to a later request, so it is not completed here.
    if (found === null) await completeWork(em, [workflowId]);
    return (found && outcomeIn(found)) ?? { kind: 'unknown' };
  }
  const outcome: FinalOutcome =
    answer.kind === 'usable'
      ? await outcomeOfUsable(em, found)
      : { kind: answer.kind === 'refused' ? 'rejected' : 'unreachable', reason: answer.reason };
  const { kind, reason } = outcome;
  await em.nativeUpdate(
    PaymentVerification,
    { id: verificationId },
    { outcome: kind, reason: reason ?? null, completedAt: raw('clock_timestamp()') },
  );
  if (kind === 'verified') await storeInstruction(em, found);
  const { number, importSupplier, externalAccountNumber } = account;
  await writeEvents(em, [
    {
      importSupplier,
      type: `payment_instruction.${kind}.v1`,
      subject: `accounts/${externalAccountNumber}`,
      data: {
        external_account_number: externalAccountNumber,
        service_account_number: number,
        vendor: found.vendor,
        type: found.type,
        ...(reason !== undefined && { code: reason }),
      },
    },
  ]);
  await completeWork(em, [workflowId]);
  return outcome;
}

type FinalOutcome = VerificationOutcome & { kind: 'verified' | 'rejected' | 'unreachable' };

/** Locks the account first, like every transaction that writes rows below it. */
async function lockAccountOf(em: EntityManager, verificationId: string) {
  return kyselyOf<PaymentVerificationTable & AccountTable>(em)
    .selectFrom('account')
    .select(['number', 'import_supplier as importSupplier', 'external_account_number as externalAccountNumber'])
    .where('id', '=', (of) =>
      of.selectFrom('payment_verification').select('account_id').where('id', '=', verificationId),
    )
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Locks the reference, so that if two accounts verify one instruction concurrently, the second finds it in force. */
async function outcomeOfUsable(em: EntityManager, instruction: PaymentVerification): Promise<FinalOutcome> {
  await lockReference(em, instruction.reference);
  return (await isInUseElsewhere(em, instruction)) ? { kind: 'rejected', reason: IN_USE } : { kind: 'verified' };
}

/**
 * Replaces the instruction in force of the same type for the same point, or for the account as a whole. If a later request was verified
 * first, its instruction stays in force, and this one is stored as replaced.
 */
async function storeInstruction(
  em: EntityManager,
  { id, accountId, vendor, type, reference, pointPosition = null }: PaymentVerification,
): Promise<void> {
  const later = await kyselyOf<PaymentInstructionTable & PaymentVerificationTable>(em)
    .selectFrom('payment_instruction as i')
    .innerJoin('payment_verification as v', 'v.id', 'i.verification_id')
    .select('i.position')
    .where('i.account_id', '=', accountId)
    .where('i.type', '=', type)
    .where('i.point_position', 'is not distinct from', pointPosition)
    .where('i.replaced_at', 'is', null)
    .where('v.requested_at', '>', (of) =>
      of.selectFrom('payment_verification').select('requested_at').where('id', '=', id),
    )
    .executeTakeFirst();
  await em.nativeUpdate(
    PaymentInstruction,
    { accountId, type, pointPosition, replacedAt: null, ...(later && { position: { $ne: later.position } }) },
    { replacedAt: raw('clock_timestamp()') },
  );
  await em.insert(PaymentInstruction, {
    accountId,
    position: raw('(select coalesce(max(position) + 1, 0) from payment_instruction where account_id = ?)', [accountId]),
    pointPosition,
    vendor,
    reference,
    type,
    verificationId: id,
    verifiedAt: raw('clock_timestamp()'),
    ...(later && { replacedAt: raw('clock_timestamp()') }),
  });
}
