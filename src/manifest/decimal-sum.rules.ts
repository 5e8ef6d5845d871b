import { addDecimal } from '../reconciliation/tally.rules.ts';

const HUNDREDTHS = 100;
/** Amounts below it are exact as a number of hundredths, also if thousands of them are added. */
const AMOUNT_MAX = 1_000_000_000;
const USUAL = /^-?\d{1,9}(?:\.\d{1,2})?$/;

/** An exact sum of decimals. Amounts of usual size with two decimal places are added as integers, which is ten times faster. */
export class DecimalSum {
  #hundredths = 0;
  #others = '0';

  /** Adds a decimal in the form in which it is compared (`plainDecimal`). */
  add(decimal: string): void {
    if (!USUAL.test(decimal)) this.#others = addDecimal(this.#others, decimal);
    else this.#addHundredths(Number(decimal));
  }

  /** Adds a number as JSON contains it. @returns false if a double does not have its exact value */
  addNumber(amount: number): boolean {
    const isUsual = Math.abs(amount) < AMOUNT_MAX && Math.round(amount * HUNDREDTHS) / HUNDREDTHS === amount;
    if (isUsual) this.#addHundredths(amount);
    return isUsual;
  }

  #addHundredths(amount: number): void {
    this.#hundredths += Math.round(amount * HUNDREDTHS);
    if (Math.abs(this.#hundredths) > Number.MAX_SAFE_INTEGER / 2) this.#carry();
  }

  #carry(): void {
    const cents = BigInt(this.#hundredths);
    this.#others = addDecimal(this.#others, `${cents}e-2`);
    this.#hundredths = 0;
  }

  toString(): string {
    this.#carry();
    return this.#others;
  }
}
