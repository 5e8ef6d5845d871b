import { alreadyImported } from '../stage/already-imported.rules.ts';
import { migrationNotOngoing } from '../../suppliers/supplier-status.rules.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import { violation, type Violation } from '../../vocabulary/violations.ts';
import type { SupplierStatus } from '../../vocabulary/supplier-status.ts';

/** One request to create an account. `creationId` goes unchanged through batch, retry and child. */
export interface CreationEntry {
  creationId: string;
  importSupplier: string;
  externalAccountNumber: string;
  operationsTeam: string;
  /** The creation holds a slot of the concurrency limit, which the transaction that completes it frees. */
  holdsSlot?: true;
}

/** Outcome of one request. `quarantined`: the database rejects the data of this account, so it left its batch. */
export type CreationOutcome = CreatedAccount | { kind: 'quarantined' } | Refused;

export interface CreatedAccount {
  kind: 'created';
  serviceAccountNumber: string;
  /** There may be warnings; the caller that answers the request looks them up. */
  mayWarn?: true;
}

/** What the database knows about one request when its row is locked. */
export interface CreationFacts {
  staged: boolean;
  teamExists: boolean;
  supplierStatus: SupplierStatus | undefined;
  skipped: boolean;
  /** The account that was created from this row before, if any. */
  account?: { number: string; creationId: string };
}

/**
 * Decides a request before anything is written. The first reason that applies is returned: nothing staged,
 * already imported, marked to skip, supplier not Ongoing, team missing.
 * @returns an outcome, or undefined when the account is to be created
 */
export function decideCreation(entry: CreationEntry, facts: CreationFacts): CreationOutcome | undefined {
  if (!facts.staged) return refuse('validation_failed', { violations: missing(facts) });
  if (facts.account) {
    // The same request again, after a retry or a lost answer: it finds its own account.
    if (facts.account.creationId === entry.creationId) {
      return { kind: 'created', serviceAccountNumber: facts.account.number };
    }
    return alreadyImported(entry.externalAccountNumber, facts.account.number);
  }
  if (facts.skipped) return refuse('import_process_marked_to_skip');
  if (facts.supplierStatus !== 'Ongoing') return migrationNotOngoing(facts.supplierStatus);
  if (!facts.teamExists) return refuse('validation_failed', { violations: missing(facts) });
  return undefined;
}

/** Refusal of staged data that does not hold (any more); paths are those of the staged payload. */
export function stagedDataInvalid(violations: readonly Violation[]): Refused {
  // Whether a contract exists is asked at creation only: nothing that was valid has become invalid.
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
