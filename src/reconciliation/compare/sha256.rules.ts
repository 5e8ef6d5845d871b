import { hash } from 'node:crypto';
import { BLOCK_BYTES, createProgram, LANES, WORDS } from './sha256-program.rules.ts';

/*
 * Sums of SHA-256 of short texts. A digest hashes about 70 texts of each account, most of them shorter than 100 bytes: calling the library of
 * Node for each takes several times longer than the hash. Texts with the same number of blocks wait until four can be hashed at the same time.
 * A test compares the hashes with those of the library.
 */

/** A number of 256 bits, the highest word first. */
export type Sum = Uint32Array;

/** Returns a sum of no hashes. */
export const emptySum = (): Sum => new Uint32Array(WORDS);

const WORD_DIGITS = 8;

/** A sum in hexadecimal digits. */
export function digitsOf(sum: Sum): string {
  return Array.from(sum, (word) => word.toString(16).padStart(WORD_DIGITS, '0')).join('');
}

/** Reads a sum in hexadecimal digits. */
export function sumIn(hexadecimal: string): Sum {
  const digits = hexadecimal.padStart(WORDS * WORD_DIGITS, '0');
  return Uint32Array.from({ length: WORDS }, (_, word) =>
    Number.parseInt(digits.slice(word * WORD_DIGITS, (word + 1) * WORD_DIGITS), 16),
  );
}

/** The end of the last block: a bit and the length. */
const ENDING_BYTES = 9;
/** Longer texts are hashed by the library. */
const BLOCKS_MAX = 16;
const BLOCK_WORDS = BLOCK_BYTES / 4;
const WORD_MAX = 0xff_ff_ff_ff;
/** Most bytes of a UTF-16 code unit in UTF-8. */
const UNIT_BYTES = 3;
const REPLACEMENT = 0xff_fd;

/** Texts with the same number of blocks that wait for others. */
interface Waiting {
  address: number;
  blocks: number;
  /** The sums to which their hashes are added. */
  sums: Sum[];
  /** Other sums to which they are added as well. */
  others: (Sum | undefined)[];
}

let opened: ReturnType<typeof open> | undefined;

function open() {
  const { memory, hash: hashLanes } = createProgram();
  const waiting: Waiting[] = [];
  let address = 0;
  for (let blocks = 1; blocks <= BLOCKS_MAX; blocks += 1) {
    waiting.push({ address, blocks, sums: [], others: [] });
    address += LANES * blocks * BLOCK_BYTES;
  }
  const lanes = new Int32Array(memory.buffer);
  return { hashLanes, waiting, lanes, result: new Uint32Array(memory.buffer, address), resultAt: address };
}

/** The text that is written, and the same memory in words. */
let bytes = new Uint8Array(64 * 1024);
let words = new Int32Array(bytes.buffer);
let length = 0;
let headLength = 0;

/** Begins texts with the same head. */
export function beginTexts(head: string): void {
  length = 0;
  writeText(head);
  headLength = length;
}

/** Writes a part of the text in UTF-8, as the library encodes it. */
export function writeText(text: string): void {
  const most = length + text.length * UNIT_BYTES + 2 * BLOCK_BYTES;
  if (most > bytes.length) enlarge(most);
  const target = bytes;
  let at = length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) {
      target[at] = unit;
      at += 1;
    } else if (unit < 0x8_00) {
      target[at] = 0xc0 | (unit >>> 6);
      target[at + 1] = 0x80 | (unit & 0x3f);
      at += 2;
    } else {
      const code = text.codePointAt(index)!;
      if (code > WORD_OF_UNIT) index += 1;
      at = writeCharacter(target, at, code);
    }
  }
  length = at;
}

const WORD_OF_UNIT = 0xff_ff;

/** Writes a character of three or four bytes. @returns the address behind it */
function writeCharacter(target: Uint8Array, at: number, code: number): number {
  const known = code >= 0xd8_00 && code <= 0xdf_ff ? REPLACEMENT : code;
  let place = at;
  if (known > WORD_OF_UNIT) {
    target[place] = 0xf0 | (known >>> 18);
    target[place + 1] = 0x80 | ((known >>> 12) & 0x3f);
    place += 2;
  } else {
    target[place] = 0xe0 | (known >>> 12);
    place += 1;
  }
  target[place] = 0x80 | ((known >>> 6) & 0x3f);
  target[place + 1] = 0x80 | (known & 0x3f);
  return place + 2;
}

function enlarge(size: number): void {
  const larger = new Uint8Array(2 * BLOCK_BYTES * Math.ceil(size / BLOCK_BYTES));
  larger.set(bytes.subarray(0, length));
  bytes = larger;
  words = new Int32Array(bytes.buffer);
}

/**
 * Ends a text: adds its SHA-256 to a sum, modulo 2^256, before `completeSums` returns. The next text has the same head.
 * @param other another sum to which it is added
 */
export function endText(sum: Sum, other?: Sum): void {
  const { waiting, lanes } = (opened ??= open());
  const blocks = (length + ENDING_BYTES + BLOCK_BYTES - 1) >>> 6;
  const among = waiting[blocks - 1];
  if (among === undefined) {
    const digest = longHash();
    addWords(sum, digest);
    if (other !== undefined) addWords(other, digest);
  } else {
    pad(blocks);
    const count = blocks * BLOCK_WORDS;
    const to = (among.address >>> 2) + among.sums.length * count;
    for (let word = 0; word < count; word += 1) lanes[to + word] = words[word]!;
    among.sums.push(sum);
    among.others.push(other);
    if (among.sums.length === LANES) hashAll(among);
  }
  length = headLength;
}

/** Adds the SHA-256 of a text in UTF-8 to a sum, modulo 2^256, before `completeSums` returns. */
export function addHashOf(sum: Sum, text: string): void {
  beginTexts('');
  writeText(text);
  endText(sum);
}

/** Writes the end of the last block: a bit, zeros, and the length in bits. */
function pad(blocks: number): void {
  const end = blocks * BLOCK_BYTES;
  const bits = length * 8;
  bytes[length] = 0x80;
  let at = length + 1;
  for (; at % 4 !== 0; at += 1) bytes[at] = 0;
  for (let word = at >>> 2; word < blocks * BLOCK_WORDS; word += 1) words[word] = 0;
  bytes[end - 2] = bits >>> 8;
  bytes[end - 1] = bits & 0xff;
}

function longHash(): Sum {
  const digest = hash('sha256', bytes.subarray(0, length), 'buffer');
  return Uint32Array.from({ length: WORDS }, (_, word) => digest.readUInt32BE(word * 4));
}

function hashAll({ address, blocks, sums, others }: Waiting): void {
  const { hashLanes, result, resultAt } = opened!;
  const distance = blocks * BLOCK_BYTES;
  hashLanes(address, distance, address + distance, resultAt);
  for (let lane = 0; lane < sums.length; lane += 1) {
    addWords(sums[lane]!, result, lane, LANES);
    const other = others[lane];
    if (other !== undefined) addWords(other, result, lane, LANES);
  }
  sums.length = 0;
  others.length = 0;
}

/** Adds all hashes of texts that wait for others. Call it before a sum is read. */
export function completeSums(): void {
  for (const waiting of opened?.waiting ?? []) if (waiting.sums.length > 0) hashAll(waiting);
}

/** Adds a number of 256 bits to a sum. @param from the index of its highest word. @param step the distance of its words */
export function addWords(sum: Sum, added: Sum, from = 0, step = 1): void {
  let carry = 0;
  for (let word = WORDS - 1; word >= 0; word -= 1) {
    const total = sum[word]! + added[from + word * step]! + carry;
    sum[word] = total;
    carry = total > WORD_MAX ? 1 : 0;
  }
}
