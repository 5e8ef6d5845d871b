import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountTable } from '../accounts/index.ts';
import { type NewEvent, writeEvents } from '../events/index.ts';
import { kyselyOf, run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';
import type { PaymentInstructionType, PaymentVendor } from '../vocabulary/value-sets.ts';
import { completeWork } from '../platform/work-items/work-item.store.ts';
import { lockReferences, otherAccountSql } from './instruction-use.store.ts';
import { IN_USE, outcomeIn, type VerificationAnswer, type VerificationOutcome } from './payment-instruction.rules.ts';
import { PaymentVerification, type PaymentVerificationTable } from './payment-instruction.entity.ts';

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

/** The result of a verification, to be stored. */
export interface CompletedVerification {
  verificationId: string;
  workflowId: string;
  answer: VerificationAnswer;
}

/** Stores one outcome; see `completeVerifications`. */
export async function completeVerification(
  em: EntityManager,
  completed: CompletedVerification,
): Promise<VerificationOutcome> {
  const outcomes = await completeVerifications(em, [completed]);
  return outcomes.get(completed.verificationId)!;
}

/**
 * Stores the outcomes of verifications once and completes their work items. Stores verified instructions in the same transaction.
 * @param completed verifications that do not replace each other
 * @returns the stored outcome by verification; if an earlier run stored one, that outcome
 */
export async function completeVerifications(
  em: EntityManager,
  completed: readonly CompletedVerification[],
): Promise<Map<string, VerificationOutcome>> {
  const ids = completed.map(({ verificationId }) => verificationId);
  const accounts = await lockAccountsOf(em, ids);
  const found = new Map((await em.find(PaymentVerification, { id: ids })).map((one) => [one.id, one]));
  const isOpen = ({ verificationId, answer }: CompletedVerification) =>
    accounts.has(verificationId) && found.get(verificationId)?.outcome == null && answer.kind !== 'settled';
  const open = completed.filter(isOpen);
  const usable = open.filter(({ answer }) => answer.kind === 'usable').map((one) => found.get(one.verificationId)!);
  const inUse = await findUsedElsewhere(em, usable);
  const outcomes = new Map(
    open.map(({ verificationId, answer }) => [verificationId, outcomeOf(answer, inUse.has(verificationId))]),
  );
  await storeOutcomes(em, outcomes);
  await storeInstructions(
    em,
    [...outcomes].flatMap(([id, { kind }]) => (kind === 'verified' ? [id] : [])),
  );
  await writeEvents(
    em,
    [...outcomes].map(([id, outcome]) => eventOf(accounts.get(id)!, found.get(id)!, outcome)),
  );
  // If an earlier run has stored the outcome, the work item may now belong to a later request, so it is not completed here.
  const done = completed.filter((one) => outcomes.has(one.verificationId) || !found.has(one.verificationId));
  await completeWork(
    em,
    done.map(({ workflowId }) => workflowId),
  );
  return new Map(
    ids.map((id) => {
      const stored = found.get(id);
      return [id, outcomes.get(id) ?? (stored && outcomeIn(stored)) ?? { kind: 'unknown' }];
    }),
  );
}

type FinalOutcome = VerificationOutcome & { kind: 'verified' | 'rejected' | 'unreachable' };

function outcomeOf(answer: VerificationAnswer, isInUse: boolean): FinalOutcome {
  if (answer.kind === 'usable') return isInUse ? { kind: 'rejected', reason: IN_USE } : { kind: 'verified' };
  const { reason } = answer as Extract<VerificationAnswer, { reason: string }>;
  return { kind: answer.kind === 'refused' ? 'rejected' : 'unreachable', reason };
}

interface LockedAccount {
  number: string;
  importSupplier: string;
  externalAccountNumber: string;
}

/** Locks the accounts first, like every transaction that writes rows below them. @returns them by verification */
async function lockAccountsOf(em: EntityManager, ids: readonly string[]): Promise<Map<string, LockedAccount>> {
  const rows = await kyselyOf<PaymentVerificationTable & AccountTable>(em)
    .selectFrom('payment_verification as v')
    .innerJoin('account as a', 'a.id', 'v.account_id')
    .select(['v.id as verificationId', 'a.number'])
    .select(['a.import_supplier as importSupplier', 'a.external_account_number as externalAccountNumber'])
    .where('v.id', 'in', ids)
    .orderBy('a.id')
    .forNoKeyUpdate('a')
    .execute();
  return new Map(rows.map((row) => [row.verificationId, row]));
}

const USED_ELSEWHERE: PreparedQuery = {
  name: 'payment-used-elsewhere',
  text: `
    select v.id from payment_verification v
      cross join lateral (${otherAccountSql({ accountId: 'v.account_id', vendor: 'v.vendor', reference: 'v.reference' }, '<>')}) o
    where v.id = any($1::uuid[])`,
};

/** Locks the references, so that if two accounts verify one instruction concurrently, the second finds it in force. */
async function findUsedElsewhere(em: EntityManager, usable: readonly PaymentVerification[]): Promise<Set<string>> {
  if (usable.length === 0) return new Set();
  await lockReferences(
    em,
    usable.map(({ reference }) => reference),
  );
  const rows = await run<{ id: string }>(em, USED_ELSEWHERE, [usable.map(({ id }) => id)]);
  return new Set(rows.map(({ id }) => id));
}

// The ids are passed twice: a plan made while the table was empty would otherwise read the whole table.
const STORE_OUTCOMES: PreparedQuery = {
  name: 'payment-store-outcomes',
  text: `
    update payment_verification v set outcome = n.outcome, reason = n.reason, completed_at = clock_timestamp()
    from unnest($1::uuid[], $2::text[], $3::text[]) as n (id, outcome, reason) where v.id = any($1::uuid[]) and v.id = n.id`,
};

async function storeOutcomes(em: EntityManager, outcomes: ReadonlyMap<string, FinalOutcome>): Promise<void> {
  if (outcomes.size === 0) return;
  const all = [...outcomes.values()];
  await run(em, STORE_OUTCOMES, [
    [...outcomes.keys()],
    all.map(({ kind }) => kind),
    all.map(({ reason }) => reason ?? null),
  ]);
}

/** Instructions in force that a verification replaces. `offset 0`: a plan made while the table was empty would otherwise read the whole table. */
const REPLACED = `
  (select * from payment_instruction o where o.account_id = n.account_id offset 0) i
  where i.type = n.type and i.point_position is not distinct from n.point_position and i.replaced_at is null`;

/** Keeps an instruction in force whose verification was requested later. */
const REPLACE: PreparedQuery = {
  name: 'payment-replace-instructions',
  text: `
    with r as materialized (
      select i.account_id, i.position from payment_verification n cross join lateral ${REPLACED} and n.id = any($1::uuid[])
        and not exists (select from payment_verification l where l.id = i.verification_id and l.requested_at > n.requested_at))
    update payment_instruction i set replaced_at = clock_timestamp() from r where i.account_id = r.account_id and i.position = r.position`,
};

const INSERT: PreparedQuery = {
  name: 'payment-insert-instructions',
  text: `
    insert into payment_instruction (account_id, position, point_position, vendor, reference, type, verification_id, verified_at, replaced_at)
    select n.account_id,
      coalesce((select max(i.position) from payment_instruction i where i.account_id = n.account_id), -1) + row_number() over (partition by n.account_id order by n.requested_at),
      n.point_position, n.vendor, n.reference, n.type, n.id, clock_timestamp(),
      case when exists (select from ${REPLACED}) then clock_timestamp() end
    from payment_verification n where n.id = any($1::uuid[])`,
};

/**
 * Replaces the instructions in force of the same type for the same point, or for the account as a whole. If a later request was verified
 * first, its instruction stays in force, and this one is stored as replaced.
 */
async function storeInstructions(em: EntityManager, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await run(em, REPLACE, [ids]);
  await run(em, INSERT, [ids]);
}

function eventOf(
  { number, importSupplier, externalAccountNumber }: LockedAccount,
  { vendor, type }: PaymentVerification,
  { kind, reason }: FinalOutcome,
): NewEvent {
  return {
    importSupplier,
    type: `payment_instruction.${kind}.v1`,
    subject: `accounts/${externalAccountNumber}`,
    data: {
      external_account_number: externalAccountNumber,
      service_account_number: number,
      vendor,
      type,
      ...(reason !== undefined && { code: reason }),
    },
  };
}
