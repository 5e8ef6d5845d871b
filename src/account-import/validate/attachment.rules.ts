import { findEmptyNoteViolations, noteDocumentPositions } from '../../notes/note.rules.ts';
import { findStatementListViolations, statementDocumentPositions } from '../../statements/statement.rules.ts';
import { dayOf, listOf, membersIn, textOf, type Loose } from '../../vocabulary/loose-payload.ts';
import type { AccountPayload } from '../../accounts/account-payload.schema.ts';
import { violation, type Path, type Violation, type ViolationCode } from '../../vocabulary/violations.ts';

/** Validates statements, ledgers with energy cheques, notes, campaigns and metadata. */
export function findAttachmentViolations(payload: Loose): Violation[] {
  const found = [
    ...findStatementListViolations(listOf(payload['statements']), ['statements'], 'unique'),
    ...findEmptyNoteViolations(listOf(payload['notes']), ['notes']),
  ];
  checkLedgers(listOf(payload['supplementary_ledgers']), found);
  checkOnce(listOf(payload['account_campaigns']), 'slug', 'duplicate_account_campaigns', ['account_campaigns'], found);
  checkOnce(listOf(payload['metadata']), 'key', 'metadata_has_duplicate_keys', ['metadata'], found);
  return found;
}

/** Ledger codes must be unique, and cheque numbers unique across all ledgers, since a cheque belongs to one ledger. */
function checkLedgers(ledgers: readonly unknown[], found: Violation[]): void {
  checkOnce(ledgers, 'ledger_code', 'duplicate_ledger_entries_found', ['supplementary_ledgers'], found);
  const numbers = new Set<string>();
  for (const [index, ledger] of ledgers.entries()) {
    const cheques = listOf(membersIn(ledger)['energy_cheques']);
    const path = ['supplementary_ledgers', index, 'energy_cheques'];
    checkOnce(cheques, 'number', 'unique', path, found, numbers);
    for (const [position, cheque] of cheques.entries()) {
      checkPeriod(membersIn(cheque), 'protection_from', 'protection_to', [...path, position], found);
    }
  }
}

/** The end date is inclusive. */
function checkPeriod(item: Loose, fromField: string, toField: string, path: Path, found: Violation[]): void {
  const to = dayOf(item[toField]);
  if (to !== '' && dayOf(item[fromField]) > to) {
    found.push(violation('start_date_later_than_end_date', [...path, toField]));
  }
}

/** Reports each item whose value in a field duplicates that of an earlier item. */
function checkOnce(
  items: readonly unknown[],
  field: string,
  code: ViolationCode,
  path: Path,
  found: Violation[],
  known = new Set<string>(),
): void {
  for (const [index, item] of items.entries()) {
    const value = textOf(membersIn(item)[field]);
    if (value !== '' && known.has(value)) found.push(violation(code, [...path, index, field]));
    known.add(value);
  }
}

/** Document paths in the statements and notes of an account payload. */
export function documentPositions(
  account: Pick<AccountPayload, 'statements' | 'notes'>,
): { path: Path; documentPath: string }[] {
  return [
    ...statementDocumentPositions(account.statements ?? [], ['statements']),
    ...noteDocumentPositions(account.notes ?? [], ['notes']),
  ];
}
