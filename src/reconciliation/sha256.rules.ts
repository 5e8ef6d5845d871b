/*
 * SHA-256 of short texts (FIPS 180-4). A digest hashes about 70 texts of each account, most of them shorter than 100 bytes: calling the
 * library of Node takes longer than computing them here. A test compares both.
 */

const BLOCK_BYTES = 64;
const WORDS = 8;
/** The end of the last block: a bit and the length. */
const ENDING_BYTES = 9;
const BITS_PER_BYTE = 8;

/** The first 32 bits of the fractional parts of a root of the first primes. */
function rootsOfPrimes(count: number, root: (prime: number) => number): Int32Array {
  const primes: number[] = [];
  for (let number = 2; primes.length < count; number += 1) {
    if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  }
  return Int32Array.from(primes, (prime) => (root(prime) % 1) * 0x1_0000_0000);
}

const INITIAL = rootsOfPrimes(WORDS, Math.sqrt);
const CONSTANTS = rootsOfPrimes(BLOCK_BYTES, Math.cbrt);
const schedule = new Int32Array(BLOCK_BYTES);
const encoder = new TextEncoder();
let bytes = new Uint8Array(64 * 1024);

/** The hash that `hashText` computed last. */
const state = new Int32Array(WORDS);

/** Returns the SHA-256 of a text in UTF-8 as eight words of 32 bits; they are valid until the next call. */
export function hashText(text: string): Int32Array {
  const length = encode(text);
  const end = Math.ceil((length + ENDING_BYTES) / BLOCK_BYTES) * BLOCK_BYTES;
  bytes.fill(0, length, end);
  bytes[length] = 0x80;
  const bits = length * BITS_PER_BYTE;
  for (let at = end - 1, rest = bits; rest > 0; at -= 1, rest = Math.floor(rest / 256)) bytes[at] = rest % 256;
  state.set(INITIAL);
  for (let at = 0; at < end; at += BLOCK_BYTES) addBlock(at);
  return state;
}

/** Writes the text to `bytes`. @returns its length */
function encode(text: string): number {
  // No character takes more than three bytes.
  const most = text.length * 3 + 2 * BLOCK_BYTES;
  if (most > bytes.length) bytes = new Uint8Array(2 * most);
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 127) return encoder.encodeInto(text, bytes).written;
    bytes[at] = code;
  }
  return text.length;
}

function addBlock(from: number): void {
  for (let index = 0, at = from; index < 16; index += 1, at += 4) {
    schedule[index] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
  }
  for (let index = 16; index < BLOCK_BYTES; index += 1) {
    const [x, y] = [schedule[index - 15]!, schedule[index - 2]!];
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    schedule[index] = s0 + schedule[index - 7]! + s1 + schedule[index - 16]!;
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let index = 0; index < BLOCK_BYTES; index += 1) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + CONSTANTS[index]! + schedule[index]!) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
}
