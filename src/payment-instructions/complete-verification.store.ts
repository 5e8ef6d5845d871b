import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type Queryable, type PreparedQuery } from '../platform/database/prepared-query.ts';
import type { PaymentInstructionType, PaymentVendor } from '../vocabulary/value-sets.ts';
import { completeWork } from '../platform/work-items/work-item.store.ts';
import { isInUseElsewhere, lockReference } from './instruction-use.store.ts';
import {
  IN_USE,
  outcomeIn,
  type KeptOutcome,
  type VerificationAnswer,
  type VerificationOutcome,
} from './payment-instruction.rules.ts';

/** What an attempt has to know to ask. */
export interface OpenVerification {
  vendor: PaymentVendor;
  type: PaymentInstructionType;
  reference: string;
  externalAccountNumber: string;
}

const OPEN: PreparedQuery = {
  name: 'payment-verification-open',
  text: `
    select v.vendor, v.type, v.reference, a.external_account_number as "externalAccountNumber"
    from payment_verification v join account a on a.id = v.account_id where v.id = $1 and v.outcome is null`,
};

/** The verification, unless it has its outcome. */
export async function findOpenVerification(
  database: Queryable,
  verificationId: string,
): Promise<OpenVerification | undefined> {
  const [row] = await run<OpenVerification & Record<string, unknown>>(database, OPEN, [verificationId]);
  return row;
}

/** The account's row goes first, as in every transaction that writes below it. */
const LOCK_ACCOUNT: PreparedQuery = {
  name: 'payment-verification-lock-account',
  text: 'select a.id from account a where a.id = (select account_id from payment_verification where id = $1) for no key update',
};

const FIND: PreparedQuery = {
  name: 'payment-verification-find',
  text: 'select outcome, reason, account_id as "accountId", vendor, reference from payment_verification where id = $1',
};

type FoundVerification = KeptOutcome & { accountId: string; vendor: string; reference: string };

const WRITE_OUTCOME: PreparedQuery = {
  name: 'payment-verification-write-outcome',
  text: 'update payment_verification set outcome = $2, reason = $3, completed_at = clock_timestamp() where id = $1',
};

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
  await run(em, LOCK_ACCOUNT, [verificationId]);
  const [found] = await run<FoundVerification>(em, FIND, [verificationId]);
  if (found?.outcome !== null || answer.kind === 'settled') {
    // Completed by an earlier run that nobody heard of. What is pending under this id by now may belong to a later request.
    if (found === undefined) await completeWork(em, [workflowId]);
    return (found && outcomeIn(found)) ?? { kind: 'unknown' };
  }
  const outcome =
    answer.kind === 'usable'
      ? await mayComeIntoForce(em, verificationId, found)
      : { kind: answer.kind === 'refused' ? ('rejected' as const) : ('unreachable' as const), reason: answer.reason };
  await run(em, WRITE_OUTCOME, [verificationId, outcome.kind, outcome.reason ?? null]);
  if (outcome.kind === 'verified') {
    for (const statement of STORE) await run(em, statement, [verificationId]);
  }
  await completeWork(em, [workflowId]);
  return outcome;
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
