import { Big } from 'big.js';
import { decimalFault } from '../vocabulary/wire-forms.ts';

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

/** Whether two values are the same to the cent: half a cent is what rounding may have taken. */
export function isWithinHalfCent(one: Big, other: Big): boolean {
  return one.minus(other).abs().lte(HALF_CENT);
}

/** An amount as answers show it, with two places. A value that is not an amount to the cent is returned as sent. */
export function twoPlaces(value: unknown): unknown {
  const decimal = decimalOf(value);
  if (decimal === undefined || !decimal.round(2).eq(decimal)) return value;
  return decimal.eq(0) ? '0.00' : decimal.toFixed(2);
}
