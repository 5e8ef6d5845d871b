import { raw, type EntityManager } from '@mikro-orm/postgresql';
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { workflowIds } from '../../temporal.config.ts';
import { type AccountSupplyPointTable, type AccountTable, lockImportedAccount } from '../accounts/index.ts';
import type { WritableDatabase } from '../platform/database/database.ts';
import type { SupplyPointTable } from '../supply-points/index.ts';
import { kyselyOf, type Queryable } from '../platform/database/prepared-query.ts';
import { unfinishedState, type UnfinishedState } from '../platform/work-items/compared-work.store.ts';
import { enqueueWork, workItemIdSql } from '../platform/work-items/work-item.store.ts';
import type { CreatePaymentInstructionRequest } from './create-payment-instruction.schema.ts';
import { isInUseElsewhere } from './instruction-use.store.ts';
import { IN_USE, outcomeIn, type VerificationInput, type VerificationOutcome } from './payment-instruction.rules.ts';
import {
  PaymentInstruction,
  PaymentVerification,
  type PaymentVerificationTable,
} from './payment-instruction.entity.ts';

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

/** Limits of verifications of one API key, over all processes. Lines of import jobs and single requests are counted separately. */
export interface VerificationLimits {
  perMinute: number;
  refusedPerHour: number;
  isOfJob: boolean;
}

/** Key of the advisory locks by API key. */
const LOCK_KEY = 4_716_204;

/**
 * Checks the limits of a key before another verification is stored. An advisory lock serializes requests of one key, so that concurrent
 * requests cannot exceed the limits together. Must be the last lock of the transaction.
 * @returns seconds until the next verification is allowed; undefined if it is allowed now
 */
async function secondsUntilAllowed(
  em: EntityManager,
  keyId: string,
  { perMinute, refusedPerHour, isOfJob }: VerificationLimits,
): Promise<number | undefined> {
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, ?))', [keyId, LOCK_KEY]);
  const kysely = kyselyOf<PaymentVerificationTable>(em);
  /** The oldest counted verification in a full window; at most `limit` rows are read. */
  const oldest = (time: 'requested_at' | 'completed_at', window: string, limit: number) =>
    kysely
      .selectFrom('payment_verification')
      .select(sql`${sql.ref(time)} + ${sql.lit(window)}::interval`.as('leaves_at'))
      .where('api_key_id', '=', keyId)
      .where('is_of_job', '=', isOfJob)
      .where(time, '>', sql<Date>`clock_timestamp() - ${sql.lit(window)}::interval`)
      .orderBy(time, 'desc')
      .offset(limit - 1)
      .limit(1);
  const requested = oldest('requested_at', '1 minute', perMinute);
  const refused = oldest('completed_at', '1 hour', refusedPerHour).where('outcome', '=', sql.lit('rejected'));
  const { seconds } = await kysely
    .selectNoFrom(
      sql<number | null>`ceil(extract(epoch from greatest(${requested}, ${refused}) - clock_timestamp()))::integer`.as(
        'seconds',
      ),
    )
    .executeTakeFirstOrThrow();
  return seconds === null ? undefined : Math.max(1, seconds);
}

/**
 * Lists verifications without an outcome, after the workflow id `after`.
 * @param budgetMs time limit for the vendor in restored work items
 */
export async function findUnfinishedVerifications(
  on: Queryable,
  after: string,
  limit: number,
  budgetMs: number,
): Promise<UnfinishedState[]> {
  const rows = await kyselyOf<PaymentVerificationTable & AccountTable>(on)
    .selectFrom('payment_verification as v')
    .innerJoin('account as a', 'a.id', 'v.account_id')
    .select([
      'v.workflow_id as key',
      'v.requested_at as since',
      'v.id as verificationId',
      'v.vendor',
      'a.import_supplier as importSupplier',
      'a.external_account_number as externalAccountNumber',
      sql<boolean>`(${sql.raw(workItemIdSql('v.workflow_id'))}) is not null`.as('hasWork'),
    ])
    .where('v.outcome', 'is', null)
    .where('v.workflow_id', '>', after)
    .orderBy('v.workflow_id')
    .limit(limit)
    .execute();
  return rows.map(
    unfinishedState(({ key, verificationId, importSupplier, externalAccountNumber, vendor }) => {
      const input: VerificationInput = { verificationId, importSupplier, externalAccountNumber, vendor, budgetMs };
      return { workflowId: key, kind: 'verify-payment-instruction', input };
    }),
  );
}
