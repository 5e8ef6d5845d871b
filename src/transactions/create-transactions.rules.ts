import { Big } from 'big.js';
import { type ClosedValueSets, findClosedValueSetViolations } from '../suppliers/closed-value-set.rules.ts';
import { type Loose, dayOf, isAbsent, listOf, membersIn, textOf } from '../vocabulary/loose-payload.ts';
import { transactionDescribingPaths } from '../vocabulary/value-sets.ts';
import { type Path, type Violation, violation } from '../vocabulary/violations.ts';
import { decimalFault } from '../vocabulary/wire-forms.ts';
import type { CreateTransactionsRequest } from './create-transactions.schema.ts';

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
