import { hash } from 'node:crypto';

const WORDS = 8;
const WORD = 0x1_0000_0000;

/**
 * The sum of SHA-256 over the texts that were added, modulo 2^256: it does not depend on their order, so pages may come in
 * any, and whoever holds the same data finds the same sum.
 */
export interface HashSum {
  add(digest: Buffer): void;
  /** In hexadecimal digits. */
  toString(): string;
}

/** Goes on with a sum. @param from in hexadecimal digits; 0 unless given */
export function hashSum(from = ''): HashSum {
  const words = new Uint32Array(WORDS);
  const digits = from.padStart(WORDS * 8, '0');
  for (let place = 0; place < WORDS; place += 1) {
    words[place] = Number.parseInt(digits.slice(place * 8, place * 8 + 8), 16);
  }
  return {
    add: (digest) => {
      let carry = 0;
      for (let place = WORDS - 1; place >= 0; place -= 1) {
        const sum = words[place]! + digest.readUInt32BE(place * 4) + carry;
        words[place] = sum % WORD;
        carry = sum >= WORD ? 1 : 0;
      }
    },
    toString: () => Array.from(words, (word) => word.toString(16).padStart(8, '0')).join(''),
  };
}

/** The hash of the values of one field of an account: its number, then a line for each value. */
export function hashOfLines(external: string, lines: string): Buffer {
  return hash('sha256', `${external}\n${lines}`, 'buffer');
}
