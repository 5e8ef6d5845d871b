import { raw, type EntityManager } from '@mikro-orm/postgresql';
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
import { PaymentInstruction, PaymentVerification } from './payment-instruction.entity.ts';
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
    const requested = (outcome: VerificationOutcome, work?: RequestedVerification['work']): RequestedVerification => {
      return { kind: 'requested', accountId, serviceAccountNumber, outcome, ...(work && { work }) };
    };
    const position = pointIdentifier ? await findPoint(em, accountId, pointIdentifier) : null;
    if (position === undefined) return { kind: 'point-not-found' };
    const earlier = terms.verificationId && (await em.findOne(PaymentVerification, { id: terms.verificationId }));
    const stored = earlier && outcomeIn(earlier);
    if (stored) return requested(stored);
    if (await isInForce(em, accountId, request, position)) return requested({ kind: 'verified' });
    const workflowId = workflowIdOf(request);
    const latest = await findLatest(em, workflowId);
    const outcome = latest && outcomeIn(latest);
    if (outcome) return requested(outcome);
    const input: VerificationInput = {
      verificationId: latest?.id ?? terms.verificationId ?? uuidv7(),
      importSupplier,
      externalAccountNumber,
      vendor,
      budgetMs: terms.budgetMs,
    };
    if (latest !== null) return requested({ kind: 'waits' }, { workflowId, input });
    const isInUse = await isInUseElsewhere(em, { accountId, vendor, reference });
    const retryAfterSeconds = terms.limits && (await secondsUntilAllowed(em, terms.keyId, terms.limits));
    if (retryAfterSeconds !== undefined) return { kind: 'limited', retryAfterSeconds };
    await em.insert(PaymentVerification, {
      id: input.verificationId,
      accountId,
      workflowId,
      vendor,
      type: request.type,
      reference,
      pointPosition: position,
      apiKeyId: terms.keyId,
      isOfJob: terms.limits?.isOfJob ?? false,
      ...(isInUse && { outcome: 'rejected', reason: IN_USE, completedAt: raw('clock_timestamp()') }),
    });
    if (isInUse) return requested({ kind: 'rejected', reason: IN_USE });
    await enqueueWork(em, [{ workflowId, kind: 'verify-payment-instruction', input }]);
    return requested({ kind: 'waits' }, { workflowId, input });
  });
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
  pointPosition: number | null,
): Promise<boolean> {
  const instruction = { accountId, type, vendor, reference, pointPosition };
  return (await em.count(PaymentInstruction, { ...instruction, verifiedAt: { $ne: null }, replacedAt: null })) > 0;
}

/** Finds the newest verification of an instruction that is pending or was rejected within ten minutes. Verified ones count only while in force. */
async function findLatest(em: EntityManager, workflowId: string): Promise<PaymentVerification | null> {
  const isRecent = {
    outcome: { $ne: 'verified' },
    completedAt: { $gt: raw("now() - interval '10 minutes'") },
  } as const;
  return em.findOne(
    PaymentVerification,
    { workflowId, $or: [{ outcome: null }, isRecent] },
    { orderBy: { requestedAt: 'desc' } },
  );
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
