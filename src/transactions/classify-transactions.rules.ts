import { ownMember } from '../foundation/table.ts';
import { dayAfter } from '../platform/clock.ts';
import { isAbsent, type Loose, dayOf, listOf, membersIn, textOf } from '../vocabulary/loose-payload.ts';
import { type Violation, violation, type Path } from '../vocabulary/violations.ts';
import { type Warning, warning } from '../vocabulary/warnings.ts';
import type { SentTransaction, CreateTransactionsRequest } from './create-transactions.schema.ts';
import { Big } from 'big.js';
import { type ClosedValueSets, findClosedValueSetViolations } from '../suppliers/supplier-options.rules.ts';
import { transactionDescribingPaths } from '../vocabulary/value-sets.ts';
import { decimalFault } from '../vocabulary/wire-forms.ts';

/** A transaction that the account has. */
export interface StoredTransaction {
  transactionId: string;
  /** As originally sent. */
  sent: SentTransaction;
  transactionDate: string;
  description: string | null;
}

/** A transaction to add. */
export interface AddedTransaction {
  sent: SentTransaction;
  transactionDate: string;
  /** Null unless the date was moved. */
  description: string | null;
}

/** The result of one transaction, in the order of the request. */
interface TransactionResult {
  status: 'TRANSACTION_ADDED_TO_ACCOUNT' | 'TRANSACTION_ALREADY_EXISTS';
  transaction_data: Record<string, unknown>;
  /** Fields in which the sent transaction differs from the stored one; omitted if there are none. */
  differs?: string[];
}

export interface ClassifiedTransactions {
  results: TransactionResult[];
  added: AddedTransaction[];
  /** Dates outside the open period that must not be moved. If there are any, nothing may be written. */
  violations: Violation[];
  warnings: Warning[];
}

interface ClassificationFacts {
  /** Stored transactions with an id of the request, oldest first; empty if the client disabled the detection. */
  stored: readonly StoredTransaction[];
  period: OpenPeriod;
  /** `force_add_to_current_statement` */
  mayMove: boolean;
}

/**
 * Classifies each transaction as known, added, added with a moved date, or rejected. A known transaction is never rejected for its date, so
 * that a request can be resent after its period has closed.
 */
export function classifyTransactions(
  sent: readonly SentTransaction[],
  facts: ClassificationFacts,
): ClassifiedTransactions {
  const known = Map.groupBy(facts.stored, ({ transactionId }) => transactionId);
  const classified: ClassifiedTransactions = { results: [], added: [], violations: [], warnings: [] };
  for (const [index, transaction] of sent.entries()) {
    const twins = known.get(transaction.transaction_id);
    if (twins !== undefined) {
      classified.results.push(knownResult(transaction, twins));
      continue;
    }
    const day = nearestDayInside(facts.period, transaction.transaction_date);
    const isMoved = day !== transaction.transaction_date;
    if (isMoved && !facts.mayMove) {
      classified.violations.push(dayViolation(index, transaction.transaction_date, facts.period));
    }
    const added = {
      sent: transaction,
      transactionDate: day,
      description: isMoved ? describeMove(transaction.transaction_date, day) : null,
    };
    classified.added.push(added);
    classified.results.push({
      status: 'TRANSACTION_ADDED_TO_ACCOUNT',
      transaction_data: { ...shownTransaction(added), status: 'TRANSACTION_IMPORT_SUCCESS' },
    });
  }
  const moved = classified.added.filter(({ description }) => description !== null);
  if (moved.length > 0) classified.warnings.push(movedWarning(moved, facts.period));
  return classified;
}

/** Moved dates usually result from the import order: statements that are imported first close the periods of the transactions. */
function movedWarning(moved: readonly AddedTransaction[], period: OpenPeriod): Warning {
  const days = moved.map(({ sent }) => sent.transaction_date).toSorted();
  const from = days[0] === days.at(-1) ? days[0] : `${days[0]} to ${days.at(-1)}`;
  const many = moved.length === 1 ? '1 transaction' : `${moved.length} transactions`;
  return warning(
    'transaction_dates_moved',
    ['transactions'],
    `${many} dated ${from} moved into ${describePeriod(period)}.`,
  );
}

/** The body of the note about the moved transactions of a request; undefined if none was moved. */
export function noteOnMoved(added: readonly AddedTransaction[], period: OpenPeriod): string | undefined {
  const moved = added.filter(({ description }) => description !== null);
  if (moved.length === 0) return undefined;
  const lines = moved.map(
    ({ sent, transactionDate }) => `${sent.transaction_id}: ${sent.transaction_date} -> ${transactionDate}`,
  );
  return [`Imported transactions whose date was changed to lie in ${describePeriod(period)}:`, ...lines].join('\n');
}

/** Compares with the stored transaction of equal content, otherwise the oldest. One id may be stored repeatedly while the detection is off. */
function knownResult(transaction: SentTransaction, twins: readonly StoredTransaction[]): TransactionResult {
  const compared = twins.map((stored) => ({ stored, differs: differingFields(transaction, stored.sent) }));
  const { stored, differs } = compared.find((twin) => twin.differs.length === 0) ?? compared[0]!;
  const transactionData = shownTransaction(stored);
  return {
    status: 'TRANSACTION_ALREADY_EXISTS',
    transaction_data: transactionData,
    ...(differs.length === 0 ? {} : { differs }),
  };
}

/** A transaction in responses: as sent, with its moved date, and with two decimal places in the amount. */
function shownTransaction({ sent, transactionDate, description }: AddedTransaction): Record<string, unknown> {
  return {
    ...sent,
    transaction_date: transactionDate,
    amount: toTwoDecimals(sent.amount),
    ...(description === null ? {} : { description }),
  };
}

function describeMove(from: string, to: string): string {
  return `The date was changed from ${from} to ${to}, because ${from} lies outside the open statement period.`;
}

function dayViolation(index: number, day: string, period: OpenPeriod): Violation {
  const path = ['transactions', index, 'transaction_date'];
  if (day > period.to) return violation('transaction_in_future', path, `${day} lies in the future.`);
  return violation(
    'transaction_date_outside_open_statement_period',
    path,
    `${day} lies outside ${describePeriod(period)}.`,
  );
}

/** The fields in which two transactions differ; 1.50 equals "1.5", and an empty string equals an absent one. */
export function differingFields(one: SentTransaction, other: SentTransaction): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
    (field) => !isSame(field, ownMember(one, field), ownMember(other, field)),
  );
}

const DECIMALS = new Set(['amount', 'number_of_units', 'net_amount', 'price_per_unit', 'units', 'value_taxed', 'rate']);

function isSame(field: string, one: unknown, other: unknown): boolean {
  if (isAbsent(one) || isAbsent(other)) return isAbsent(one) && isAbsent(other);
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isSame(field, item, other[index]));
  }
  if (typeof one === 'object' && typeof other === 'object' && one !== null && other !== null) {
    const members = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...members].every((member) => isSame(member, ownMember(one, member), ownMember(other, member)));
  }
  if (!DECIMALS.has(field)) return one === other;
  const [left, right] = [decimalOf(one), decimalOf(other)];
  return left !== undefined && right !== undefined && left.eq(right);
}

/** The dates of the open statement, both inclusive; `from` is null if nothing was ever billed. */
interface OpenPeriod {
  from: string | null;
  to: string;
}

/**
 * The open statement period: from the day after the last billed day, but no later than today, until today. Dates are `YYYY-MM-DD` strings,
 * which compare as text.
 */
export function openStatementPeriod(facts: {
  lastBilledToDate: string | null;
  lastStatementEnd: string | null;
  today: string;
}): OpenPeriod {
  const billedTo = [facts.lastBilledToDate, facts.lastStatementEnd].reduce((one, other) =>
    (one ?? '') > (other ?? '') ? one : other,
  );
  if (billedTo === null) return { from: null, to: facts.today };
  const from = dayAfter(billedTo);
  return { from: from > facts.today ? facts.today : from, to: facts.today };
}

/** Returns the day if it is in the period, otherwise the nearest day in the period. */
export function nearestDayInside(period: OpenPeriod, day: string): string {
  if (day > period.to) return period.to;
  return period.from !== null && day < period.from ? period.from : day;
}

/** The period in words. */
function describePeriod({ from, to }: OpenPeriod): string {
  if (from === to) return `the open statement period, which is ${to} alone`;
  return from === null
    ? `the open statement period, which ends on ${to}`
    : `the open statement period, ${from} to ${to}`;
}

/** As in Peppol BIS Billing 3.0 (rule PEPPOL-EN16931-R120). */
const LINE_TOLERANCE = 0.02;

/** The cross-field rules of operation 5. Rules about periods need the account and are checked later. */
export function findTransactionViolations(
  request: CreateTransactionsRequest,
  facts: { closedValueSets?: ClosedValueSets | undefined },
): Violation[] {
  const payload = request as Loose;
  const found: Violation[] = [];
  const ids = new Set<string>();
  for (const [index, item] of listOf(payload['transactions']).entries()) {
    const transaction = membersIn(item);
    const path = ['transactions', index];
    const id = textOf(transaction['transaction_id']);
    if (id !== '' && ids.has(id)) found.push(violation('duplicate_transaction_ids', [...path, 'transaction_id']));
    ids.add(id);
    const type = textOf(transaction['type']);
    if (type === 'PAYMENT' || type === 'REPAYMENT') checkIsPositive(transaction, path, found);
    if (type === 'SUPPLY_CHARGE') checkSupplyCharge(transaction, path, found);
  }
  return [...found, ...findClosedValueSetViolations(payload, facts.closedValueSets, transactionDescribingPaths)];
}

/** Payments and repayments have positive amounts; the type determines the direction. */
function checkIsPositive(transaction: Loose, path: Path, found: Violation[]): void {
  if (decimalOf(transaction['amount'])?.lte(0)) {
    found.push(violation('min_value', [...path, 'amount'], 'The amount of a payment must be greater than zero.'));
  }
}

/** Each line is units times price, and the amount is the sum of all lines and taxes. */
function checkSupplyCharge(transaction: Loose, path: Path, found: Violation[]): void {
  const lines = listOf(transaction['line_items']).map(membersIn);
  for (const [index, line] of lines.entries()) {
    const itemPath = [...path, 'line_items', index];
    const end = dayOf(line['end_date']);
    if (end !== '' && dayOf(line['start_date']) > end) {
      found.push(violation('start_date_later_than_end_date', [...itemPath, 'end_date']));
    }
    if (isAbsent(line['price_per_unit'])) continue;
    const [units, price, net] = [line['number_of_units'], line['price_per_unit'], line['net_amount']].map(decimalOf);
    if (units && price && net && units.times(price).minus(net).abs().gt(LINE_TOLERANCE)) {
      found.push(violation('incorrect_line_item_net_amount', [...itemPath, 'net_amount']));
    }
  }
  if (lines.length === 0) return;
  const taxes = listOf(transaction['tax_items']).map(membersIn);
  const sum = sumOf([...lines.map((line) => line['net_amount']), ...taxes.map((tax) => tax['amount'])]);
  const amount = decimalOf(transaction['amount']);
  if (sum && amount && !isWithinHalfCent(sum, amount)) {
    found.push(
      violation(
        'ledger_transaction_amount_does_not_match_with_line_item_net_amount_and_tax_amount',
        [...path, 'amount'],
        `The amount is not the sum of the net amounts and the taxes, which is ${sum.toFixed()}.`,
      ),
    );
  }
}

const HALF_CENT = new Big('0.005');

/** The exact value; undefined for malformed decimals, which the schema reports. */
export function decimalOf(value: unknown): Big | undefined {
  if ((typeof value !== 'number' && typeof value !== 'string') || decimalFault(value) !== undefined) return undefined;
  return new Big(value);
}

/** The exact sum; undefined if a value is malformed. */
export function sumOf(values: readonly unknown[]): Big | undefined {
  let sum = new Big(0);
  for (const value of values) {
    const decimal = decimalOf(value);
    if (decimal === undefined) return undefined;
    sum = sum.plus(decimal);
  }
  return sum;
}

/** Whether two values are equal to the cent: rounding may change a value by half a cent. */
function isWithinHalfCent(one: Big, other: Big): boolean {
  return one.minus(other).abs().lte(HALF_CENT);
}

/** Formats an amount with two decimal places for responses. A value that is not an amount to the cent is returned as sent. */
export function toTwoDecimals(value: unknown): unknown {
  const decimal = decimalOf(value);
  if (decimal === undefined || !decimal.round(2).eq(decimal)) return value;
  return decimal.eq(0) ? '0.00' : decimal.toFixed(2);
}
