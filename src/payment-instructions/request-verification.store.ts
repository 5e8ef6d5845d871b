import type { EntityManager } from '@mikro-orm/postgresql';
import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { workflowIds } from '../../temporal.config.ts';
import { lockImportedAccount } from '../accounts/index.ts';
import type { Database } from '../platform/database/database.ts';
import { run, type PreparedQuery } from '../platform/database/prepared-query.ts';
import { enqueueWork } from '../platform/work-items/work-item.store.ts';
import type { CreatePaymentInstructionRequest } from './create-payment-instruction.schema.ts';
import { isInUseElsewhere } from './instruction-use.store.ts';
import {
  IN_USE,
  outcomeIn,
  type KeptOutcome,
  type VerificationInput,
  type VerificationOutcome,
} from './payment-instruction.rules.ts';
import { waitForRoom, type VerificationLimits } from './verification-limit.store.ts';

/** Nothing was written down. `limited`: the key has asked as often as it may. */
export type NotRequested =
  | { kind: 'account-not-found' }
  | { kind: 'point-not-found' }
  | { kind: 'limited'; retryAfterSeconds: number };

export interface RequestedVerification {
  kind: 'requested';
  accountId: string;
  serviceAccountNumber: string;
  /** In force already, or refused a short while ago; otherwise it waits. */
  outcome: VerificationOutcome;
  /** The run that it waits for. */
  work?: { workflowId: string; input: VerificationInput };
}

const FIND_POINT: PreparedQuery = {
  name: 'payment-instruction-point',
  text: 'select s.position from account_supply_point s join supply_point m on m.id = s.supply_point_id where s.account_id = $1 and m.identifier = $2',
};

const IN_FORCE: PreparedQuery = {
  name: 'payment-instruction-in-force',
  text: `
    select 1 from payment_instruction
    where account_id = $1 and type = $2 and vendor = $3 and reference = $4 and point_position is not distinct from $5::integer and verified_at is not null and replaced_at is null`,
};

/** The newest verification of an instruction, if it is pending or was refused within ten minutes. What was verified counts only while it is in force. */
const LATEST: PreparedQuery = {
  name: 'payment-verification-latest',
  text: `
    select id, outcome, reason from payment_verification
    where workflow_id = $1 and (outcome is null or (outcome <> 'verified' and completed_at > now() - interval '10 minutes'))
    order by requested_at desc limit 1`,
};

const INSERT: PreparedQuery = {
  name: 'payment-verification-insert',
  text: `
    insert into payment_verification (id, account_id, workflow_id, vendor, type, reference, point_position, api_key_id, outcome, reason, completed_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, case when $9::text is not null then clock_timestamp() end)`,
};

/** How often a key may ask, and how long a vendor is asked. */
export interface VerificationTerms {
  keyId: string;
  limits: VerificationLimits;
  budgetMs: number;
}

/**
 * Writes down that an instruction is to be verified, together with the work for it: from here on nothing is
 * lost. Equal requests at once find each other's row, because each holds the account's. What is in use on an account of
 * another supplier is refused without asking the vendor.
 */
export async function requestVerification(
  database: Database,
  request: CreatePaymentInstructionRequest,
  terms: VerificationTerms,
): Promise<RequestedVerification | NotRequested> {
  const {
    import_supplier: importSupplier,
    external_account_number: externalAccountNumber,
    vendor,
    type,
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
    if ((await run(em, IN_FORCE, [locked.id, type, vendor, reference, position])).length > 0) {
      return requested({ kind: 'verified' });
    }
    const workflowId = workflowIds.verifyInstruction(
      importSupplier,
      externalAccountNumber,
      vendor,
      type,
      hashOf(reference, pointIdentifier),
    );
    const [latest] = await run<KeptOutcome & { id: string }>(em, LATEST, [workflowId]);
    const outcome = latest && outcomeIn(latest);
    if (outcome !== undefined) return requested(outcome);
    const input: VerificationInput = {
      verificationId: latest?.id ?? uuidv7(),
      importSupplier,
      externalAccountNumber,
      vendor,
      budgetMs: terms.budgetMs,
    };
    if (latest !== undefined) return requested({ kind: 'waits' }, { workflowId, input });
    const isInUse = await isInUseElsewhere(em, { accountId: locked.id, vendor, reference });
    const retryAfterSeconds = await waitForRoom(em, terms.keyId, terms.limits);
    if (retryAfterSeconds !== undefined) return { kind: 'limited', retryAfterSeconds };
    await run(em, INSERT, [
      input.verificationId,
      locked.id,
      workflowId,
      vendor,
      type,
      reference,
      position,
      terms.keyId,
      ...(isInUse ? ['rejected', IN_USE] : [null, null]),
    ]);
    if (isInUse) return requested({ kind: 'rejected', reason: IN_USE });
    await enqueueWork(em, [{ workflowId, kind: 'verify-payment-instruction', input }]);
    return requested({ kind: 'waits' }, { workflowId, input });
  });
}

async function findPoint(em: EntityManager, accountId: string, identifier: string): Promise<number | undefined> {
  return (await run<{ position: number }>(em, FIND_POINT, [accountId, identifier]))[0]?.position;
}

/** Tells instructions of an account apart without naming them. Without a point it is what it was before points could be named, so that runs under way are still found. */
function hashOf(reference: string, pointIdentifier: string | undefined): string {
  const hash = createHash('sha256').update(reference);
  // U+0000 stands in neither.
  if (pointIdentifier) hash.update(`\0${pointIdentifier}`);
  return hash.digest('hex').slice(0, 32);
}
