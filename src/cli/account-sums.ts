import { addWords, digitsOf, type Sum, sumIn } from '../reconciliation/compare/sha256.rules.ts';

const WORDS = 8;
const FIRST_SIZE = 1_024;

/** Sums by account. Many accounts take about 100 bytes each. */
export class AccountSums {
  readonly #places = new Map<string, number>();
  #words: Sum = new Uint32Array(FIRST_SIZE * WORDS);

  /** Adds to the sum of an account. @param from the place of the added sum in `added` */
  add(account: string, added: Sum, from = 0): void {
    let place = this.#places.get(account);
    if (place === undefined) {
      place = this.#places.size;
      this.#places.set(account, place);
      if ((place + 1) * WORDS > this.#words.length) this.#enlarge();
    }
    addWords(this.#wordsOf(place), added, from);
  }

  #enlarge(): void {
    const larger = new Uint32Array(2 * this.#words.length);
    larger.set(this.#words);
    this.#words = larger;
  }

  #wordsOf(place: number): Sum {
    return this.#words.subarray(place * WORDS, (place + 1) * WORDS);
  }

  get accounts(): Iterable<string> {
    return this.#places.keys();
  }

  has(account: string): boolean {
    return this.#places.has(account);
  }

  /** The sum of an account in hexadecimal digits; 0 if it is unknown. */
  digestOf(account: string): string {
    const place = this.#places.get(account);
    return digitsOf(place === undefined ? sumIn('') : this.#wordsOf(place));
  }

  /** The sum of all accounts. */
  total(): string {
    const total = sumIn('');
    for (const place of this.#places.values()) addWords(total, this.#wordsOf(place));
    return digitsOf(total);
  }
}
