import { accountPayloadSchema } from '../accounts/account-payload.schema.ts';
import { createBusinessContractsSchema, createBusinessSchema } from '../businesses/business.schema.ts';
import { createNotesSchema } from '../notes/notes.schema.ts';
import { createPaymentInstructionSchema } from '../payment-instructions/create-payment-instruction.schema.ts';
import { compileCopy, type Copy } from '../platform/validation/copy-by-schema.ts';
import { accountForm, transactionForm } from '../reconciliation/compare/accepted-forms.schema.ts';
import { readAccepted, type Form } from '../reconciliation/compare/accepted-items.rules.ts';
import type { AcceptedContext, Item } from '../reconciliation/compare/form.rules.ts';
import { acceptedLines, textsToHash } from '../reconciliation/compare/hashed-lines.rules.ts';
import { plainDecimal } from '../reconciliation/compare/value-forms.rules.ts';
import { addDecimal, hashSum, type HashSum } from '../reconciliation/tally.rules.ts';
import { createStatementsSchema } from '../statements/create-statements.schema.ts';
import { createTransactionsSchema } from '../transactions/create-transactions.schema.ts';
import type { ImportJobKind } from '../vocabulary/import-jobs.ts';
import { membersIn, textOf } from '../vocabulary/loose-payload.ts';
import { membersOf, openableSets, supplyTypes, transactionTypes } from '../vocabulary/value-sets.ts';
import type { ManifestKinds } from './manifest.schema.ts';
import { mergeTotals, money, namedDigests } from './totals.rules.ts';

const copyOf = (schema: object): Copy => compileCopy(schema);
const COPIES: Record<ImportJobKind, Copy> = {
  accounts: copyOf(accountPayloadSchema),
  businesses: copyOf(createBusinessSchema),
  'business-contracts': copyOf(createBusinessContractsSchema),
  notes: copyOf(createNotesSchema),
  transactions: copyOf(createTransactionsSchema),
  statements: copyOf(createStatementsSchema),
  'payment-instructions': copyOf(createPaymentInstructionSchema),
};
/** Unknown variants count as sent. A supplier for which the set is closed cannot import the record anyway. */
const OPEN_SETS = Object.keys(openableSets);

/**
 * Returns a record as it is stored: without unknown members, with trimmed strings.
 * @param body the parsed line, with the import supplier
 */
export function recordOf(kind: ImportJobKind, body: unknown): Item {
  const pass = { isPlain: true, openSets: OPEN_SETS, hasBadText: false, hasDropped: false, hasDamagedText: false };
  return membersIn(COPIES[kind](body, pass));
}

/** The totals of records, one after the other. */
export interface RunningTotals {
  /** Adds a record. @param record as `recordOf` returns it */
  add(kind: ImportJobKind, record: Item): void;
  /** The totals so far, as JSON. `mergeTotals` adds them to others. */
  kinds(): ManifestKinds;
}

/**
 * Starts to count records.
 * @param from totals of other records, which are continued
 */
export function runningTotals(from: ManifestKinds = {}): RunningTotals {
  const counted = new Map<ImportJobKind, KindTotals>();
  return {
    add: (kind, record) => {
      let totals = counted.get(kind);
      if (totals === undefined) counted.set(kind, (totals = new KindTotals()));
      totals.count('records');
      ADD[kind](totals, record);
    },
    kinds: () =>
      mergeTotals(from, Object.fromEntries(Array.from(counted, ([kind, totals]) => [kind, totals.toJson()]))),
  };
}

/** Totals of one kind by path; a path has at most two dots. */
class KindTotals {
  readonly #counts = new Map<string, number>();
  readonly #sums = new Map<string, string>();
  readonly #digests = new Map<string, HashSum>();
  readonly addHashOf = (path: string, text: string): void => {
    let sum = this.#digests.get(path);
    if (sum === undefined) this.#digests.set(path, (sum = hashSum()));
    sum.addHashOf(text);
  };

  count(path: string, added = 1): void {
    this.#counts.set(path, (this.#counts.get(path) ?? 0) + added);
  }

  /** Adds an amount. One that is not a decimal is ignored: its record cannot be imported. */
  add(path: string, amount: unknown): void {
    const text = typeof amount === 'number' ? plainDecimal(String(amount)) : textOf(amount);
    if (!DECIMAL.test(text)) return;
    this.#sums.set(path, addDecimal(this.#sums.get(path) ?? '0', text));
  }

  toJson(): object {
    const totals: Record<string, unknown> = {};
    for (const [path, count] of this.#counts) setAt(totals, path, count);
    for (const [path, sum] of this.#sums) setAt(totals, path, money(sum));
    if (this.#digests.size > 0) totals['digests'] = namedDigests(this.#digests);
    return totals;
  }
}

const DECIMAL = /^-?\d{1,40}(?:\.\d{1,40})?$/;

function setAt(totals: Record<string, unknown>, path: string, value: unknown): void {
  const segments = path.split('.');
  const last = segments.pop()!;
  let at = totals;
  for (const segment of segments) at = (at[segment] ??= {}) as Record<string, unknown>;
  at[last] = value;
}

const SUPPLY_TYPES = new Set<string>(membersOf(supplyTypes));
const TRANSACTION_TYPES = new Set<string>(membersOf(transactionTypes));

const ADD: Record<ImportJobKind, (totals: KindTotals, record: Item) => void> = {
  accounts: addAccount,
  businesses: (totals, { business }) =>
    totals.count('business_contracts', listIn(business, 'business_contracts').length),
  'business-contracts': (totals, record) =>
    totals.count('business_contracts', listIn(record, 'business_contracts').length),
  notes: (totals, record) => totals.count('notes', listIn(record, 'notes').length),
  statements: addStatements,
  transactions: addTransactions,
  'payment-instructions': () => {},
};

function addAccount(totals: KindTotals, record: Item): void {
  totals.count('customers', listIn(record, 'customers').length);
  totals.count('business_contracts', listIn(record, 'account_contracts').length);
  totals.count('notes', listIn(record, 'notes').length);
  totals.count('statements', listIn(record, 'statements').length);
  for (const address of listIn(record, 'supply_addresses')) {
    for (const point of listIn(address, 'supply_points')) {
      const type = textOf(membersIn(point)['supply_type']);
      if (SUPPLY_TYPES.has(type)) totals.count(`supply_points.${type}`);
      addAmounts(totals, 'payment_schedules', listIn(point, 'payment_schedules'));
    }
  }
  for (const ledger of listIn(record, 'supplementary_ledgers')) {
    addAmounts(totals, 'energy_cheques', listIn(ledger, 'energy_cheques'));
  }
  addDigests(totals, accountForm, record);
}

function addStatements(totals: KindTotals, record: Item): void {
  const statements = listIn(record, 'statements');
  totals.count('statements', statements.length);
  totals.add('gross_sum', 0);
  for (const statement of statements) totals.add('gross_sum', membersIn(statement)['gross_amount']);
}

function addTransactions(totals: KindTotals, record: Item): void {
  const transactions = listIn(record, 'transactions');
  totals.count('transactions', transactions.length);
  for (const transaction of transactions) {
    const type = textOf(membersIn(transaction)['type']);
    if (TRANSACTION_TYPES.has(type)) addAmounts(totals, `by_type.${type}`, [transaction]);
  }
  addDigests(totals, transactionForm, record);
}

function addAmounts(totals: KindTotals, path: string, items: readonly unknown[]): void {
  totals.count(`${path}.count`, items.length);
  totals.add(`${path}.sum`, 0);
  for (const item of items) totals.add(`${path}.sum`, membersIn(item)['amount']);
}

function listIn(holder: unknown, member: string): readonly unknown[] {
  const list = membersIn(holder)[member];
  return Array.isArray(list) ? list : [];
}

/** Only columns that are not hashed follow from it. */
const CONTEXT: AcceptedContext = { phoneNumbers: [], documentRoot: null, createdAt: '', importedAt: undefined };

function addDigests(totals: KindTotals, form: Form, record: Item): void {
  const lines = acceptedLines(form, readAccepted(form, record, CONTEXT));
  textsToHash(form, textOf(record['external_account_number']), lines, totals.addHashOf);
}
