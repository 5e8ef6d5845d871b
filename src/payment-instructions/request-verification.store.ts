import type { EntityManager } from '@mikro-orm/postgresql';
import { type InsertObject, sql } from 'kysely';
import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { workflowIds } from '../../temporal.config.ts';
import { type AccountSupplyPointTable, lockImportedAccount } from '../accounts/index.ts';
import type { WritableDatabase } from '../platform/database/database.ts';
import type { SupplyPointTable } from '../supply-points/index.ts';
import { enqueueWork } from '../platform/work-items/work-item.store.ts';
import type { CreatePaymentInstructionRequest } from './create-payment-instruction.schema.ts';
import { isInUseElsewhere } from './instruction-use.store.ts';
import { IN_USE, outcomeIn, type VerificationInput, type VerificationOutcome } from './payment-instruction.rules.ts';
import type { PaymentInstructionTable, PaymentVerificationTable } from './payment-instruction.entity.ts';
import { secondsUntilAllowed, type VerificationLimits } from './verification-limit.store.ts';

/** Reasons why nothing was stored. `limited`: the API key has reached its limit of verifications. */
export type NotRequested =
  | { kind: 'account-not-found' }
  | { kind: 'point-not-found' }
  | { kind: 'limited'; retryAfterSeconds: number };

export interface RequestedVerification {
  kind: 'requested';
  accountId: string;
  serviceAccountNumber: string;
  /** The outcome, if the instruction is in force or was rejected recently; otherwise `waits`. */
  outcome: VerificationOutcome;
  /** The run to wait for. */
  work?: { workflowId: string; input: VerificationInput };
}

/** The limits of a request for a verification. */
export interface VerificationTerms {
  keyId: string;
  /** Undefined if the vendor is not called. */
  limits: VerificationLimits | undefined;
  budgetMs: number;
  /**
   * Id chosen by a caller that retries to get the outcome. The outcome stored for this id counts, even if another instruction has replaced
   * this one meanwhile.
   */
  verificationId?: string | undefined;
}

/**
 * Stores a verification together with its work item, so that it survives any failure from here on. The lock of the account serializes equal
 * requests: the second one finds the row of the first. An instruction in use on an account of another supplier is rejected without calling
 * the vendor.
 */
export async function requestVerification(
  database: WritableDatabase,
  request: CreatePaymentInstructionRequest,
  terms: VerificationTerms,
): Promise<RequestedVerification | NotRequested> {
  const {
    import_supplier: importSupplier,
    external_account_number: externalAccountNumber,
    vendor,
    reference,
    supply_point_identifier: pointIdentifier,
  } = request;
  return database.transaction(async (em) => {
    const locked = await lockImportedAccount(em, importSupplier, externalAccountNumber);
    if (locked === undefined) return { kind: 'account-not-found' };
    const { id: accountId, serviceAccountNumber } = locked;
    const requested = (outcome: VerificationOutcome, work?: RequestedVerification['work']): RequestedVerification => ({
      kind: 'requested',
      accountId,
      serviceAccountNumber,
      outcome,
      ...(work && { work }),
    });
    const position = pointIdentifier ? await findPoint(em, locked.id, pointIdentifier) : null;
    if (position === undefined) return { kind: 'point-not-found' };
    const stored = terms.verificationId && (await findOutcome(em, terms.verificationId));
    if (stored) return requested(stored);
    if (await isInForce(em, locked.id, request, position)) return requested({ kind: 'verified' });
    const workflowId = workflowIdOf(request);
    const latest = await findLatest(em, workflowId);
    const outcome = latest && outcomeIn(latest);
    if (outcome !== undefined) return requested(outcome);
    const input: VerificationInput = {
      verificationId: latest?.id ?? terms.verificationId ?? uuidv7(),
      importSupplier,
      externalAccountNumber,
      vendor,
      budgetMs: terms.budgetMs,
    };
    if (latest !== undefined) return requested({ kind: 'waits' }, { workflowId, input });
    const isInUse = await isInUseElsewhere(em, { accountId: locked.id, vendor, reference });
    const retryAfterSeconds = terms.limits && (await secondsUntilAllowed(em, terms.keyId, terms.limits));
    if (retryAfterSeconds !== undefined) return { kind: 'limited', retryAfterSeconds };
    await insertVerification(em, {
      id: input.verificationId,
      account_id: locked.id,
      workflow_id: workflowId,
      vendor,
      type: request.type,
      reference,
      point_position: position,
      api_key_id: terms.keyId,
      is_of_job: terms.limits?.isOfJob ?? false,
      ...(isInUse && { outcome: 'rejected', reason: IN_USE, completed_at: sql<Date>`clock_timestamp()` }),
    });
    if (isInUse) return requested({ kind: 'rejected', reason: IN_USE });
    await enqueueWork(em, [{ workflowId, kind: 'verify-payment-instruction', input }]);
    return requested({ kind: 'waits' }, { workflowId, input });
  });
}

async function findOutcome(em: EntityManager, id: string): Promise<VerificationOutcome | undefined> {
  const stored = await em
    .getKysely<PaymentVerificationTable>()
    .selectFrom('payment_verification')
    .select(['outcome', 'reason'])
    .where('id', '=', id)
    .executeTakeFirst();
  return stored && outcomeIn(stored);
}

async function insertVerification(
  em: EntityManager,
  row: InsertObject<PaymentVerificationTable, 'payment_verification'>,
): Promise<void> {
  await em.getKysely<PaymentVerificationTable>().insertInto('payment_verification').values(row).execute();
}

async function findPoint(em: EntityManager, accountId: string, identifier: string): Promise<number | undefined> {
  const point = await em
    .getKysely<AccountSupplyPointTable & SupplyPointTable>()
    .selectFrom('account_supply_point as s')
    .innerJoin('supply_point as m', 'm.id', 's.supply_point_id')
    .select('s.position')
    .where('s.account_id', '=', accountId)
    .where('m.identifier', '=', identifier)
    .executeTakeFirst();
  return point?.position;
}

async function isInForce(
  em: EntityManager,
  accountId: string,
  { type, vendor, reference }: CreatePaymentInstructionRequest,
  position: number | null,
): Promise<boolean> {
  const found = await em
    .getKysely<PaymentInstructionTable>()
    .selectFrom('payment_instruction')
    .select('position')
    .where('account_id', '=', accountId)
    .where('type', '=', type)
    .where('vendor', '=', vendor)
    .where('reference', '=', reference)
    .where('point_position', 'is not distinct from', position)
    .where('verified_at', 'is not', null)
    .where('replaced_at', 'is', null)
    .executeTakeFirst();
  return found !== undefined;
}

/** Finds the newest verification of an instruction that is pending or was rejected within ten minutes. Verified ones count only while in force. */
async function findLatest(em: EntityManager, workflowId: string) {
  return em
    .getKysely<PaymentVerificationTable>()
    .selectFrom('payment_verification')
    .select(['id', 'outcome', 'reason'])
    .where('workflow_id', '=', workflowId)
    .where((is) =>
      is.or([
        is('outcome', 'is', null),
        is.and([is('outcome', '<>', 'verified'), is('completed_at', '>', sql<Date>`now() - interval '10 minutes'`)]),
      ]),
    )
    .orderBy('requested_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The workflow id of an instruction, which contains a hash of the reference. The point is hashed only if there is one. */
function workflowIdOf(request: CreatePaymentInstructionRequest): string {
  const hash = createHash('sha256').update(request.reference);
  // Neither string contains U+0000.
  if (request.supply_point_identifier) hash.update(`\0${request.supply_point_identifier}`);
  return workflowIds.verifyInstruction(
    request.import_supplier,
    request.external_account_number,
    request.vendor,
    request.type,
    hash.digest('hex').slice(0, 32),
  );
}
