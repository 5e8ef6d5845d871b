import type { EntityManager } from '@mikro-orm/postgresql';
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { workflowIds } from '../../temporal.config.ts';
import { type AccountTable, lockImportedAccounts } from '../accounts/index.ts';
import type { WritableDatabase } from '../platform/database/database.ts';
import { kyselyOf, run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';
import { unfinishedState, type UnfinishedState } from '../platform/work-items/compared-work.store.ts';
import { enqueueWork, holdWork, workItemIdSql } from '../platform/work-items/work-item.store.ts';
import type { CreatePaymentInstructionRequest } from './create-payment-instruction.schema.ts';
import { otherAccountSql } from './instruction-use.store.ts';
import { IN_USE, outcomeIn, type VerificationInput, type VerificationOutcome } from './payment-instruction.rules.ts';
import type { PaymentVerificationTable } from './payment-instruction.entity.ts';
import { countAllowed, secondsUntilAllowed, type VerificationLimits } from './verification-limits.store.ts';

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
  work?: VerificationWork;
}

/** The work item of a pending verification. */
export interface VerificationWork {
  workflowId: string;
  input: VerificationInput;
  /** Whether the caller calls the vendor itself, because no run was started. */
  isHeld: boolean;
}

/** A request for a verification. */
export interface WantedVerification {
  request: CreatePaymentInstructionRequest;
  /**
   * Id chosen by a caller that retries to get the outcome. The outcome stored for this id counts, even if another instruction has replaced
   * this one meanwhile.
   */
  verificationId?: string | undefined;
}

/** The limits of requests for verifications. */
export interface VerificationTerms {
  keyId: string;
  /** Undefined if the vendor is not called. */
  limits: VerificationLimits | undefined;
  budgetMs: number;
  /** The import job whose lines are verified. */
  importJobId?: string | undefined;
  /** Time for which the caller calls the vendors itself, before the dispatcher starts a run for each verification. Undefined: a run is started now. */
  holdSeconds?: number | undefined;
}

type Result = RequestedVerification | NotRequested;

/** Stores one verification; see `requestVerifications`. */
export async function requestVerification(
  database: WritableDatabase,
  request: CreatePaymentInstructionRequest,
  terms: VerificationTerms,
): Promise<Result> {
  const [result] = await requestVerifications(database, request.import_supplier, [{ request }], terms);
  return result!;
}

/**
 * Stores verifications of one import supplier together with their work items, so that they survive any failure from here on. The locks of
 * the accounts serialize equal requests: the second one finds the row of the first. An instruction in use on an account of another supplier
 * is rejected without calling the vendor.
 * @param wanted one that replaces an earlier one of them waits, without work
 * @returns a result for each
 */
export async function requestVerifications(
  database: WritableDatabase,
  importSupplier: string,
  wanted: readonly WantedVerification[],
  terms: VerificationTerms,
): Promise<Result[]> {
  return database.transaction(async (em) => {
    const numbers = wanted.map(({ request }) => request.external_account_number);
    const accounts = await lockImportedAccounts(em, importSupplier, numbers);
    const located = wanted.flatMap((one, index): LocatedVerification[] => {
      const account = accounts.get(one.request.external_account_number);
      if (account === undefined) return [];
      const { id: accountId, serviceAccountNumber } = account;
      return [{ ...one, accountId, serviceAccountNumber, index, workflowId: workflowIdOf(one.request) }];
    });
    const results = wanted.map((): Result => ({ kind: 'account-not-found' }));
    const facts = await findFacts(em, located);
    const fresh: FreshVerification[] = [];
    const held: VerificationWork[] = [];
    const places = new Set<string>();
    for (const [n, one] of located.entries()) {
      const found = facts[n]!;
      const { accountId, request } = one;
      const known = outcomeOf(found, request);
      const place = [accountId, request.type, found.position].join(' ');
      if (known === 'point-not-found') results[one.index] = { kind: known };
      else if (known !== undefined) results[one.index] = requested(one, known);
      else if (places.has(place)) results[one.index] = requested(one, { kind: 'waits' });
      else {
        places.add(place);
        const work = workOf(one, found, terms);
        results[one.index] = requested(one, { kind: 'waits' }, work);
        if (found.latestId === null) fresh.push({ ...one, ...found, work });
        else if (work.isHeld) held.push(work);
      }
    }
    for (const [index, result] of await storeFresh(em, fresh, held, terms)) results[index] = result;
    return results;
  });
}

/** A verification of a known account; `index` is its position among the wanted ones. */
interface LocatedVerification extends WantedVerification {
  index: number;
  accountId: string;
  serviceAccountNumber: string;
  workflowId: string;
}

/** A verification to store. */
type FreshVerification = LocatedVerification & Facts & { work: VerificationWork };

function requested(
  { accountId, serviceAccountNumber }: LocatedVerification,
  outcome: VerificationOutcome,
  work?: VerificationWork,
): RequestedVerification {
  return { kind: 'requested', accountId, serviceAccountNumber, outcome, ...(work && { work }) };
}

function workOf(
  { request, verificationId: ownId, workflowId }: LocatedVerification,
  { latestId, isHeld }: Facts,
  { budgetMs, holdSeconds }: VerificationTerms,
): VerificationWork {
  const { import_supplier: importSupplier, external_account_number: externalAccountNumber, vendor } = request;
  const verificationId = latestId ?? ownId ?? uuidv7();
  const isOwn = latestId === null || (isHeld && latestId === ownId);
  return {
    workflowId,
    input: { verificationId, importSupplier, externalAccountNumber, vendor, budgetMs },
    isHeld: holdSeconds !== undefined && isOwn,
  };
}

/**
 * Stores as many verifications as the limits allow, with their work items.
 * @param held work of earlier attempts of the caller, which is held for longer
 * @returns the results that differ from `waits`, by index
 */
async function storeFresh(
  em: EntityManager,
  fresh: readonly FreshVerification[],
  held: readonly VerificationWork[],
  terms: VerificationTerms,
): Promise<Map<number, Result>> {
  const { keyId, limits, holdSeconds } = terms;
  const results = new Map<number, Result>();
  const allowed = fresh.length > 0 && limits ? await countAllowed(em, keyId, limits) : fresh.length;
  const stored = fresh.slice(0, allowed);
  await insertVerifications(em, stored, terms);
  for (const one of stored) {
    if (one.isInUse) results.set(one.index, requested(one, { kind: 'rejected', reason: IN_USE }));
  }
  const works = [...held, ...stored.filter(({ isInUse }) => !isInUse).map(({ work }) => work)].map(
    ({ workflowId, input }) => ({ workflowId, kind: 'verify-payment-instruction', input }) as const,
  );
  await (holdSeconds === undefined ? enqueueWork(em, works) : holdWork(em, works, holdSeconds));
  if (limits && stored.length < fresh.length) {
    const retryAfterSeconds = await secondsUntilAllowed(em, keyId, limits);
    for (const { index } of fresh.slice(allowed)) results.set(index, { kind: 'limited', retryAfterSeconds });
  }
  return results;
}

/** The state of an instruction. */
interface Facts extends Record<string, unknown> {
  /** Position of its supply point, if it names one that the account has. */
  position: number | null;
  /** The outcome of the verification whose id the caller chose. */
  storedOutcome: VerificationOutcome['kind'] | null;
  storedReason: string | null;
  isInForce: boolean;
  /** The newest verification that is pending or was rejected within ten minutes. Verified ones count only while in force. */
  latestId: string | null;
  latestOutcome: VerificationOutcome['kind'] | null;
  latestReason: string | null;
  /** Whether no run of the newest verification was started yet. */
  isHeld: boolean;
  isInUse: boolean;
}

// Each part is a lateral subquery with a limit, so that a plan made on empty tables uses an index too.
const FACTS: PreparedQuery = {
  name: 'payment-verification-facts',
  text: `
    select p.position, s.outcome as "storedOutcome", s.reason as "storedReason", f.is_in_force is not null as "isInForce",
      l.id as "latestId", l.outcome as "latestOutcome", l.reason as "latestReason", coalesce(l.is_held, false) as "isHeld", u.external is not null as "isInUse"
    from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::uuid[]) with ordinality
        as n (account_id, point, type, vendor, reference, workflow_id, verification_id, i)
      left join lateral (
        select s.position from supply_point m join account_supply_point s on s.supply_point_id = m.id
        where s.account_id = n.account_id and m.identifier = n.point limit 1) p on true
      left join lateral (select v.outcome, v.reason from payment_verification v where v.id = n.verification_id and v.outcome is not null limit 1) s on true
      left join lateral (
        select true as is_in_force from payment_instruction i
        where i.account_id = n.account_id and i.type = n.type and i.vendor = n.vendor and i.reference = n.reference and i.point_position is not distinct from p.position
          and i.verified_at is not null and i.replaced_at is null limit 1) f on true
      left join lateral (
        select v.id, v.outcome, v.reason, (select w.held_until > now() from work_item w where w.workflow_id = v.workflow_id) as is_held
        from payment_verification v
        where v.workflow_id = n.workflow_id and (v.outcome is null or (v.outcome <> 'verified' and v.completed_at > now() - interval '10 minutes'))
        order by v.requested_at desc limit 1) l on true
      left join lateral (${otherAccountSql({ accountId: 'n.account_id', vendor: 'n.vendor', reference: 'n.reference' }, '<>')}) u on true
    order by n.i`,
};

async function findFacts(em: EntityManager, wanted: readonly LocatedVerification[]): Promise<Facts[]> {
  if (wanted.length === 0) return [];
  return run<Facts>(em, FACTS, [
    wanted.map(({ accountId }) => accountId),
    wanted.map(({ request }) => request.supply_point_identifier || null),
    wanted.map(({ request }) => request.type),
    wanted.map(({ request }) => request.vendor),
    wanted.map(({ request }) => request.reference),
    wanted.map(({ workflowId }) => workflowId),
    wanted.map(({ verificationId }) => verificationId ?? null),
  ]);
}

/** The outcome that an instruction already has, if any. */
function outcomeOf(
  found: Facts,
  { supply_point_identifier: point }: CreatePaymentInstructionRequest,
): VerificationOutcome | 'point-not-found' | undefined {
  if (point && found.position === null) return 'point-not-found';
  const stored = outcomeIn({ outcome: found.storedOutcome, reason: found.storedReason });
  if (stored) return stored;
  if (found.isInForce) return { kind: 'verified' };
  return outcomeIn({ outcome: found.latestOutcome, reason: found.latestReason });
}

const INSERT: PreparedQuery = {
  name: 'payment-verification-insert',
  text: `
    insert into payment_verification (id, account_id, workflow_id, vendor, type, reference, point_position, api_key_id, is_of_job, import_job_id, outcome, reason, completed_at)
    select n.id, n.account_id, n.workflow_id, n.vendor, n.type, n.reference, n.position, $9, $10, $11,
      case when n.is_in_use then 'rejected' end, case when n.is_in_use then '${IN_USE}' end, case when n.is_in_use then clock_timestamp() end
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::integer[], $8::boolean[]) with ordinality
      as n (id, account_id, workflow_id, vendor, type, reference, position, is_in_use, i)
    order by n.i`,
};

async function insertVerifications(
  em: EntityManager,
  fresh: readonly FreshVerification[],
  { keyId, limits, importJobId }: VerificationTerms,
): Promise<void> {
  if (fresh.length === 0) return;
  await run(em, INSERT, [
    fresh.map(({ work }) => work.input.verificationId),
    fresh.map(({ accountId }) => accountId),
    fresh.map(({ workflowId }) => workflowId),
    fresh.map(({ request }) => request.vendor),
    fresh.map(({ request }) => request.type),
    fresh.map(({ request }) => request.reference),
    fresh.map(({ position }) => position),
    fresh.map(({ isInUse }) => isInUse),
    keyId,
    limits?.isOfJob ?? false,
    importJobId ?? null,
  ]);
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
