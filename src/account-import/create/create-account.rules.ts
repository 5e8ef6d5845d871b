import { alreadyImported } from '../stage/already-imported.rules.ts';
import { migrationNotOngoing } from '../../suppliers/supplier-status.rules.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import { violation, type Violation } from '../../vocabulary/violations.ts';
import { WITHDRAWAL_RETRY_SECONDS } from '../../vocabulary/withdrawals.ts';
import type { SupplierStatus } from '../../vocabulary/supplier-status.ts';

/** A request to create an account. Batches, retries and child workflows keep its `creationId`. */
export interface CreationEntry {
  creationId: string;
  importSupplier: string;
  externalAccountNumber: string;
  operationsTeam: string;
  /** Whether the creation holds a slot of the concurrency limit. The transaction that completes it releases the slot. */
  holdsSlot?: true;
}

/** Outcome of one request. `quarantined`: the database rejects the account, or it timed out, so that it left its batch. */
export type CreationOutcome = CreatedAccount | { kind: 'quarantined' } | Refused;

export interface CreatedAccount {
  kind: 'created';
  serviceAccountNumber: string;
  /** There may be warnings. The caller that answers the request reads them. */
  mayWarn?: true;
}

/** State of one request in the database once its row is locked. */
export interface CreationFacts {
  staged: boolean;
  teamExists: boolean;
  supplierStatus: SupplierStatus | undefined;
  skipped: boolean;
  /** The supplier creates accounts only in approved waves, and this account is in none. */
  lacksApproval: boolean;
  /** The account that was created from this row earlier. */
  account?: { number: string; creationId: string };
  /** The number of the account that this request created, and that was withdrawn. */
  withdrawnNumber?: string;
  /** A running withdrawal has staged the account again. */
  isBeingWithdrawn?: boolean;
}

/**
 * Decides a request before anything is written, by the first reason that applies: not staged, already imported, being
 * withdrawn, marked to skip, supplier
 * not Ongoing, team missing, no approval.
 * @returns an outcome, or undefined if the account can be created
 */
export function decideCreation(entry: CreationEntry, facts: CreationFacts): CreationOutcome | undefined {
  if (!facts.staged) return refuse('validation_failed', { violations: missing(facts) });
  // A retry of a request whose account was withdrawn meanwhile.
  if (facts.withdrawnNumber) return { kind: 'created', serviceAccountNumber: facts.withdrawnNumber };
  if (facts.account) {
    // A retry of the same request, which finds the account that it created.
    if (facts.account.creationId === entry.creationId) {
      return { kind: 'created', serviceAccountNumber: facts.account.number };
    }
    return alreadyImported(entry.externalAccountNumber, facts.account.number);
  }
  if (facts.isBeingWithdrawn) {
    return refuse('account_being_withdrawn', { retryAfterSeconds: WITHDRAWAL_RETRY_SECONDS });
  }
  if (facts.skipped) return refuse('import_process_marked_to_skip');
  if (facts.supplierStatus !== 'Ongoing') return migrationNotOngoing(facts.supplierStatus);
  if (!facts.teamExists) return refuse('validation_failed', { violations: missing(facts) });
  return facts.lacksApproval ? refuse('approval_required') : undefined;
}

/** Refusal for staged data that is invalid or no longer valid. Paths refer to the staged payload. */
export function stagedDataInvalid(violations: readonly Violation[]): Refused {
  // A missing contract is detected only at creation, so the default detail does not fit.
  const isContractOnly = violations.every(({ code }) => code === 'business_contract_not_found');
  return refuse('import_process_failed_validation', {
    violations,
    ...(isContractOnly ? { detail: CONTRACT_MISSING } : {}),
  });
}

const CONTRACT_MISSING =
  'The staged data names a business contract that does not exist. Import its business or correct the name, then create the account again.';

function missing(facts: CreationFacts): Violation[] {
  const violations: Violation[] = [];
  if (!facts.staged) violations.push(violation('import_process_does_not_exist', ['external_account_number']));
  if (!facts.teamExists) violations.push(violation('operations_team_name_does_not_exist', ['operations_team_name']));
  return violations;
}
