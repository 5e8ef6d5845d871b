/*
 * A WebAssembly program that computes the SHA-256 (FIPS 180-4) of four texts at the same time: each register holds one word of all four.
 * It is assembled here instead of being stored in binary form, so that it can be read.
 */

/** Texts that are hashed at the same time. */
export const LANES = 4;
export const BLOCK_BYTES = 64;
export const WORDS = 8;
const BLOCK_WORDS = 16;
const WORD_NUMBERS = Array.from({ length: WORDS }, (_, word) => word);
const ROUNDS = 64;
const WORD_BYTES = 4;
const WORD_BITS = 32;

/** The program. */
export interface HashProgram {
  memory: { readonly buffer: ArrayBuffer };
  /**
   * Hashes four padded texts with the same number of blocks, by their addresses.
   * @param end of the first one
   * @param result address of the result: the first word of each hash, then the second one of each
   */
  hash(first: number, second: number, third: number, fourth: number, end: number, result: number): void;
}

declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { readonly exports: object };
};

/** The first 32 bits of the fractional parts of a root of the first primes. */
function rootsOfPrimes(count: number, root: (prime: number) => number): number[] {
  const primes: number[] = [];
  for (let number = 2; primes.length < count; number += 1) {
    if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  }
  return Array.from(Int32Array.from(primes, (prime) => (root(prime) % 1) * 0x1_0000_0000));
}

const INITIAL = rootsOfPrimes(WORDS, Math.sqrt);
const CONSTANTS = rootsOfPrimes(ROUNDS, Math.cbrt);

type Code = readonly number[];
const [I32, V128] = [0x7f, 0x7b];

/** An unsigned number, seven bits per byte. */
function leb(value: number): Code {
  return value < 128 ? [value] : [(value % 128) + 128, ...leb(Math.floor(value / 128))];
}

const simd = (operation: number): Code => [0xfd, ...leb(operation)];
const get = (local: number): Code => [0x20, local];
const set = (local: number): Code => [0x21, local];
const XOR = simd(0x51);
/** Of three operands: bits of the first where the third has ones, otherwise of the second. */
const SELECT = simd(0x52);
const ADD = simd(0xae);
const OR = simd(0x50);
const shift = (operation: number, value: Code, bits: number): Code => [...value, 0x41, bits, ...simd(operation)];
const shiftLeft = (value: Code, bits: number) => shift(0xab, value, bits);
const shiftRight = (value: Code, bits: number) => shift(0xad, value, bits);
const rotate = (value: Code, bits: number): Code => [
  ...shiftRight(value, bits),
  ...shiftLeft(value, WORD_BITS - bits),
  ...OR,
];
const wordBytes = (word: number): Code => Array.from({ length: WORD_BYTES }, (_, byte) => (word >>> (8 * byte)) & 0xff);
/** A constant, the same in all lanes. */
const constant = (word: number): Code => [
  ...simd(0x0c),
  ...Array.from({ length: LANES }, () => wordBytes(word)).flat(),
];
const xorOf = ([first, ...others]: readonly Code[]): Code => [...first!, ...others.flatMap((one) => [...one, ...XOR])];
const sumOf = ([first, ...others]: readonly Code[]): Code => [...first!, ...others.flatMap((one) => [...one, ...ADD])];

// Parameters: the address in each text, end of the first text, and address of the result.
const ADDRESSES = Array.from({ length: LANES }, (_, lane) => lane);
const [END, RESULT] = [LANES, LANES + 1];
const PARAMETERS = LANES + 2;
/** Registers: the state, the state before the block, the schedule, and one more. */
const STATE = PARAMETERS;
const BEFORE = STATE + WORDS;
const SCHEDULE = BEFORE + WORDS;
const TEMPORARY = SCHEDULE + BLOCK_WORDS;
const REGISTERS = TEMPORARY + 1 - STATE;
const scheduled = (round: number) => SCHEDULE + (round % BLOCK_WORDS);

/** Reads the words of a block from each text, with the highest byte first. */
function loadBlock(): Code {
  const reversed = Array.from({ length: LANES * WORD_BYTES }, (_, byte) => byte - (byte % 4) + 3 - (byte % 4));
  const words = Array.from({ length: BLOCK_WORDS }, (_, word) => word);
  const lanes = ADDRESSES.map((address, lane) =>
    words.flatMap((word) => [
      ...get(address),
      ...get(SCHEDULE + word),
      ...simd(0x56),
      ...[2, ...leb(word * WORD_BYTES)],
      lane,
      ...set(SCHEDULE + word),
    ]),
  );
  const inOrder = words.flatMap((word) => [
    ...get(SCHEDULE + word),
    ...get(SCHEDULE + word),
    ...simd(0x0d),
    ...reversed,
    ...set(SCHEDULE + word),
  ]);
  return [...lanes.flat(), ...inOrder];
}

/** The next word of the schedule, which replaces the one of sixteen rounds ago. */
function extendSchedule(round: number): Code {
  const [x, y] = [get(scheduled(round + 1)), get(scheduled(round + 14))];
  return [
    ...sumOf([
      get(scheduled(round)),
      xorOf([rotate(x, 7), rotate(x, 18), shiftRight(x, 3)]),
      get(scheduled(round + 9)),
      xorOf([rotate(y, 17), rotate(y, 19), shiftRight(y, 10)]),
    ]),
    ...set(scheduled(round)),
  ];
}

/** A round. The names of the registers move instead of their values. */
function computeRound(round: number): Code {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = WORD_NUMBERS.map(
    (word) => STATE + ((word + ROUNDS - round) % WORDS),
  );
  const choice = [...get(f), ...get(g), ...get(e), ...SELECT];
  const majority = [...get(c), ...get(b), ...xorOf([get(a), get(b)]), ...SELECT];
  return [
    ...(round < BLOCK_WORDS ? [] : extendSchedule(round)),
    ...sumOf([
      get(h),
      constant(CONSTANTS[round]!),
      get(scheduled(round)),
      choice,
      xorOf([rotate(get(e), 6), rotate(get(e), 11), rotate(get(e), 25)]),
    ]),
    ...set(TEMPORARY),
    ...sumOf([get(d), get(TEMPORARY)]),
    ...set(d),
    ...sumOf([get(TEMPORARY), majority, xorOf([rotate(get(a), 2), rotate(get(a), 13), rotate(get(a), 22)])]),
    ...set(h),
  ];
}

/** Hashes all blocks of the texts. */
function functionBody(): Code {
  const rounds = Array.from({ length: ROUNDS }, (_, round) => computeRound(round));
  return [
    ...[1, REGISTERS, V128],
    ...WORD_NUMBERS.flatMap((word) => [...constant(INITIAL[word]!), ...set(STATE + word)]),
    ...[0x03, 0x40],
    ...loadBlock(),
    ...WORD_NUMBERS.flatMap((word) => [...get(STATE + word), ...set(BEFORE + word)]),
    ...rounds.flat(),
    ...WORD_NUMBERS.flatMap((word) => [...sumOf([get(STATE + word), get(BEFORE + word)]), ...set(STATE + word)]),
    ...ADDRESSES.flatMap((address) => [...get(address), 0x41, BLOCK_BYTES + 128, 0, 0x6a, ...set(address)]),
    ...[...get(ADDRESSES[0]!), ...get(END), 0x49, 0x0d, 0, 0x0b],
    ...WORD_NUMBERS.flatMap((word) => [
      ...get(RESULT),
      ...get(STATE + word),
      ...[...simd(0x0b), 4, ...leb(word * LANES * WORD_BYTES)],
    ]),
    0x0b,
  ];
}

const section = (number: number, content: Code): Code => [number, ...leb(content.length), ...content];
const name = (text: string): Code => [text.length, ...Buffer.from(text)];

/** Creates the program, with one page of memory (64 KB). */
export function createProgram(): HashProgram {
  const body = functionBody();
  const bytes = [
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, PARAMETERS, ...Array.from({ length: PARAMETERS }, () => I32), 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, 1]),
    ...section(7, [2, ...name('memory'), 2, 0, ...name('hash'), 0, 0]),
    ...section(10, [1, ...leb(body.length), ...body]),
  ];
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(bytes)));
  return exports as unknown as HashProgram;
}
