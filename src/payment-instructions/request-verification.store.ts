import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { workflowIds } from '../../temporal.config.ts';
import { lockImportedAccount } from '../accounts/index.ts';
import type { Database, Statement, Transaction } from '../platform/database/database.ts';
import { oweWork } from '../platform/unfinished-work/unfinished-work.store.ts';
import type { CreatePaymentInstructionRequest } from './create-payment-instruction.schema.ts';
import type { VerificationInput, VerificationOutcome } from './payment-instruction.rules.ts';

export type RequestedVerification =
  | { kind: 'account-not-found' }
  /** In force already, or settled a short while ago. */
  | { kind: 'settled'; serviceAccountNumber: string; outcome: VerificationOutcome }
  /** Its workflow has to run, or runs. */
  | { kind: 'waits'; serviceAccountNumber: string; workflowId: string; input: VerificationInput };

const IN_FORCE: Statement = {
  name: 'payment-instruction-in-force',
  text: `
    select 1 from payment_instruction
    where account_id = $1 and type = $2 and vendor = $3 and reference = $4 and verified_at is not null and replaced_at is null`,
};

/** The newest verification of an instruction, if it still waits or was settled within ten minutes. */
const LATEST: Statement = {
  name: 'payment-verification-latest',
  text: `
    select id, outcome, reason from payment_verification
    where workflow_id = $1 and (outcome is null or settled_at > now() - interval '10 minutes')
    order by requested_at desc limit 1`,
};

const INSERT: Statement = {
  name: 'payment-verification-insert',
  text: 'insert into payment_verification (id, account_id, workflow_id, vendor, type, reference) values ($1, $2, $3, $4, $5, $6)',
};

/**
 * Writes down that an instruction is to be verified, together with the work that is owed for it: from here on nothing is
 * lost. Equal requests at once find each other's row, because each holds the account's.
 * @param budgetMs longest that the vendor is asked
 */
export async function requestVerification(database: Database, request: CreatePaymentInstructionRequest, budgetMs: number): Promise<RequestedVerification> {
  const { import_supplier: importSupplier, external_account_number: externalAccountNumber, vendor, type, reference } = request;
  const workflowId = workflowIds.verifyInstruction(importSupplier, externalAccountNumber, vendor, type, createHash('sha256').update(reference).digest('hex').slice(0, 32));
  return database.transaction(async (tx) => {
    const account = await lockImportedAccount(tx, importSupplier, externalAccountNumber);
    if (account === undefined) return { kind: 'account-not-found' };
    const { serviceAccountNumber } = account;
    if ((await tx.run(IN_FORCE, [account.id, type, vendor, reference])).length > 0) return { kind: 'settled', serviceAccountNumber, outcome: { kind: 'verified' } };
    const [latest] = await tx.run<{ id: string; outcome: VerificationOutcome['kind'] | null; reason: string | null }>(LATEST, [workflowId]);
    if (latest?.outcome) return { kind: 'settled', serviceAccountNumber, outcome: { kind: latest.outcome, ...(latest.reason === null ? {} : { reason: latest.reason }) } };
    const input: VerificationInput = { verificationId: latest?.id ?? uuidv7(), importSupplier, externalAccountNumber, vendor, budgetMs };
    if (latest === undefined) await write(tx, workflowId, input, [account.id, workflowId, vendor, type, reference]);
    return { kind: 'waits', serviceAccountNumber, workflowId, input };
  });
}

async function write(tx: Transaction, workflowId: string, input: VerificationInput, values: readonly string[]): Promise<void> {
  await tx.run(INSERT, [input.verificationId, ...values]);
  await oweWork(tx, { workflowId, kind: 'verify-payment-instruction', input });
}
