import { accountPayloadSchema } from '../accounts/account-payload.schema.ts';
import { createBusinessContractsSchema, createBusinessSchema } from '../businesses/business.schema.ts';
import { createNotesSchema } from '../notes/notes.schema.ts';
import { createPaymentInstructionSchema } from '../payment-instructions/create-payment-instruction.schema.ts';
import { compileCopy, type Copy } from '../platform/validation/copy-by-schema.ts';
import { accountForm, transactionForm } from '../reconciliation/compare/accepted-forms.schema.ts';
import type { Form } from '../reconciliation/compare/accepted-items.rules.ts';
import { addPayload, hashesOfValues } from '../reconciliation/compare/accepted-lines.rules.ts';
import { type Item, plainDecimal } from '../reconciliation/compare/form.rules.ts';
import { completeSums, digitsOf, emptySum, type Sum } from '../reconciliation/compare/sha256.rules.ts';
import { createStatementsSchema } from '../statements/create-statements.schema.ts';
import { createTransactionsSchema } from '../transactions/create-transactions.schema.ts';
import type { ImportJobKind } from '../vocabulary/import-jobs.ts';
import { membersIn, textOf } from '../vocabulary/loose-payload.ts';
import { membersOf, openableSets, supplyTypes, transactionTypes } from '../vocabulary/value-sets.ts';
import { DecimalSum, mergeTotals, money, namedDigests } from './totals.rules.ts';
import type { ManifestKinds } from './manifest.schema.ts';

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
  const pass = { isPlain: true, openSets: OPEN_SETS, hasBadText: false, hasDropped: false, hasDamagedText: true };
  return membersIn(COPIES[kind](body, pass));
}

/** The totals of records, one after the other. */
export interface RunningTotals {
  /**
   * Adds a record.
   * @param record as `recordOf` returns it
   * @param digest a sum to which all hashes of its fields are added
   */
  add(kind: ImportJobKind, record: Item, digest?: Sum): void;
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
    add: (kind, record, digest) => {
      let totals = counted.get(kind);
      if (totals === undefined) counted.set(kind, (totals = new KindTotals()));
      totals.count('records');
      ADD[kind](totals, record, digest);
    },
    kinds: () =>
      mergeTotals(from, Object.fromEntries(Array.from(counted, ([kind, totals]) => [kind, totals.toJson()]))),
  };
}

/** Totals of one kind by path; a path has at most two dots. */
class KindTotals {
  readonly #counts = new Map<string, number>();
  readonly #sums = new Map<string, DecimalSum>();
  #paths: readonly string[] = [];
  readonly #digests: Sum[] = [];
  readonly #digestAt = (field: number): Sum => (this.#digests[field] ??= emptySum());

  /** The sums of hashes of fields. @param form the same one for all records of a kind */
  digestsOf({ hashedPaths }: Form): (field: number) => Sum {
    this.#paths = hashedPaths;
    return this.#digestAt;
  }

  count(path: string, added = 1): void {
    this.#counts.set(path, (this.#counts.get(path) ?? 0) + added);
  }

  /** Adds an amount. One that is not a decimal is ignored: its record cannot be imported. */
  add(path: string, amount: unknown): void {
    let sum = this.#sums.get(path);
    if (sum === undefined) this.#sums.set(path, (sum = new DecimalSum()));
    if (typeof amount === 'number' && sum.addNumber(amount)) return;
    const text = typeof amount === 'number' ? plainDecimal(String(amount)) : textOf(amount);
    if (DECIMAL.test(text)) sum.add(text);
  }

  toJson(): object {
    const totals: Record<string, unknown> = {};
    for (const [path, count] of this.#counts) setAt(totals, path, count);
    for (const [path, sum] of this.#sums) setAt(totals, path, money(sum.toString()));
    completeSums();
    const digests = this.#digests.map(
      (sum, field) => [this.#paths[field]!, { toString: () => digitsOf(sum) }] as const,
    );
    if (digests.length > 0) totals['digests'] = namedDigests(digests.filter((digest) => digest !== undefined));
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

/** The paths of a number of records and the sum of their amounts. */
const amountsAt = (path: string) => ({ count: `${path}.count`, sum: `${path}.sum` });
/** Paths by value; written once, because each record counts some. */
const POINTS = new Map<string, string>(membersOf(supplyTypes).map((type) => [type, `supply_points.${type}`]));
const TRANSACTIONS = new Map<string, AmountPaths>(
  membersOf(transactionTypes).map((type) => [type, amountsAt(`by_type.${type}`)]),
);
const SCHEDULES = amountsAt('payment_schedules');
const CHEQUES = amountsAt('energy_cheques');

type AmountPaths = ReturnType<typeof amountsAt>;

const ADD: Record<ImportJobKind, (totals: KindTotals, record: Item, digest: Sum | undefined) => void> = {
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

function addAccount(totals: KindTotals, record: Item, digest: Sum | undefined): void {
  totals.count('customers', listIn(record, 'customers').length);
  totals.count('business_contracts', listIn(record, 'account_contracts').length);
  totals.count('notes', listIn(record, 'notes').length);
  totals.count('statements', listIn(record, 'statements').length);
  for (const address of listIn(record, 'supply_addresses')) {
    for (const point of listIn(address, 'supply_points')) {
      const path = POINTS.get(textOf(membersIn(point)['supply_type']));
      if (path !== undefined) totals.count(path);
      addAmounts(totals, SCHEDULES, listIn(point, 'payment_schedules'));
    }
  }
  for (const ledger of listIn(record, 'supplementary_ledgers')) {
    addAmounts(totals, CHEQUES, listIn(ledger, 'energy_cheques'));
  }
  addDigests(totals, accountForm, record, digest);
}

function addStatements(totals: KindTotals, record: Item): void {
  const statements = listIn(record, 'statements');
  totals.count('statements', statements.length);
  totals.add('gross_sum', 0);
  for (const statement of statements) totals.add('gross_sum', membersIn(statement)['gross_amount']);
}

function addTransactions(totals: KindTotals, record: Item, digest: Sum | undefined): void {
  const transactions = listIn(record, 'transactions');
  totals.count('transactions', transactions.length);
  for (const transaction of transactions) {
    const paths = TRANSACTIONS.get(textOf(membersIn(transaction)['type']));
    if (paths !== undefined) addAmounts(totals, paths, [transaction]);
  }
  addDigests(totals, transactionForm, record, digest);
}

function addAmounts(totals: KindTotals, { count, sum }: AmountPaths, items: readonly unknown[]): void {
  totals.count(count, items.length);
  totals.add(sum, 0);
  for (const item of items) totals.add(sum, membersIn(item)['amount']);
}

function listIn(holder: unknown, member: string): readonly unknown[] {
  const list = membersIn(holder)[member];
  return Array.isArray(list) ? list : [];
}

function addDigests(totals: KindTotals, form: Form, record: Item, digest: Sum | undefined): void {
  addPayload(form, textOf(record['external_account_number']), record, totals.digestsOf(form), digest);
}

/** Hashes each value of an account or of transactions alone; nothing for other kinds. @returns SHA-256 by path */
export function valueHashesOf(kind: ImportJobKind, record: Item): [path: string, sha256: string][] {
  const form = kind === 'accounts' ? accountForm : kind === 'transactions' ? transactionForm : undefined;
  return form === undefined ? [] : hashesOfValues(form, textOf(record['external_account_number']), record);
}
