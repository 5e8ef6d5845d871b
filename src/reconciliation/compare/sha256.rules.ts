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
const SLOT_BYTES = BLOCKS_MAX * BLOCK_BYTES;
/** Three texts of each number of blocks can wait, beside the one that is written. */
const SLOTS = BLOCKS_MAX * (LANES - 1) + 1;
/** Most bytes of a UTF-16 code unit in UTF-8. */
const UNIT_BYTES = 3;
const REPLACEMENT = 0xff_fd;

/** Texts with the same number of blocks that wait for others. */
interface Waiting {
  blocks: number;
  count: number;
  slots: number[];
  /** The sums to which their hashes are added. */
  sums: Sum[];
  /** Other sums to which they are added as well. */
  others: (Sum | undefined)[];
}

/** The memory of the program has a slot for each text, in which it is written and hashed. */
const { memory, hash: hashLanes } = createProgram();
const memoryBytes = new Uint8Array(memory.buffer);
const memoryWords = new Int32Array(memory.buffer);
const RESULT_AT = SLOTS * SLOT_BYTES;
const result = new Uint32Array(memory.buffer, RESULT_AT);
const waitingTexts = Array.from({ length: BLOCKS_MAX }, (_, index): Waiting => ({
  blocks: index + 1,
  count: 0,
  slots: [],
  sums: [],
  others: [],
}));
const freeSlots = Array.from({ length: SLOTS }, (_, slot) => slot * SLOT_BYTES);

/** The slot of the text that is written. */
let slot = freeSlots.pop()!;
/** The text is in this memory, from `start` to `at`: in its slot, or in `longText` if it is too long for one. */
let target = memoryBytes;
let start = slot;
let at = slot;
let limit = slot + SLOT_BYTES - ENDING_BYTES;
let longText = new Uint8Array(64 * 1024);
let headLength = 0;

/** Begins texts with the same head. */
export function beginTexts(head: string): void {
  returnToSlot();
  writeText(head);
  headLength = at - start;
}

function returnToSlot(): void {
  target = memoryBytes;
  start = at = slot;
  limit = slot + SLOT_BYTES - ENDING_BYTES;
}

/** Writes a part of the text in UTF-8, as the library encodes it. */
export function writeText(text: string): void {
  if (at + text.length * UNIT_BYTES > limit) moveToLongText(text.length * UNIT_BYTES);
  const bytes = target;
  let place = at;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) {
      bytes[place] = unit;
      place += 1;
    } else if (unit < 0x8_00) {
      bytes[place] = 0xc0 | (unit >>> 6);
      bytes[place + 1] = 0x80 | (unit & 0x3f);
      place += 2;
    } else {
      const code = text.codePointAt(index)!;
      if (code > WORD_OF_UNIT) index += 1;
      place = writeCharacter(bytes, place, code);
    }
  }
  at = place;
}

/** Writes a character of ASCII. */
export function writeByte(byte: number): void {
  if (at + 1 > limit) moveToLongText(1);
  target[at] = byte;
  at += 1;
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

/** Makes room for more bytes outside of the slot. */
function moveToLongText(more: number): void {
  const length = at - start;
  const written = target.subarray(start, at);
  if (length + more > longText.length) longText = new Uint8Array(2 * (length + more));
  if (written.buffer !== longText.buffer) longText.set(written);
  target = longText;
  start = 0;
  at = length;
  limit = longText.length;
}

/**
 * Ends a text: adds its SHA-256 to a sum, modulo 2^256, before `completeSums` returns. The next text has the same head.
 * @param other another sum to which it is added
 */
export function endText(sum: Sum, other?: Sum): void {
  const length = at - start;
  const blocks = (length + ENDING_BYTES + BLOCK_BYTES - 1) >>> 6;
  if (blocks > BLOCKS_MAX) {
    const digest = libraryHash();
    addWords(sum, digest);
    if (other !== undefined) addWords(other, digest);
    // A head that does not fit into the slot stays where it is.
    if (headLength > SLOT_BYTES - ENDING_BYTES) at = headLength;
    else returnToHead();
    return;
  }
  if (target !== memoryBytes) memoryBytes.set(target.subarray(0, length), slot);
  pad(slot, length, blocks);
  const waiting = waitingTexts[blocks - 1]!;
  const { count } = waiting;
  waiting.slots[count] = slot;
  waiting.sums[count] = sum;
  waiting.others[count] = other;
  waiting.count = count + 1;
  if (waiting.count === LANES) hashAll(waiting);
  const before = slot;
  slot = freeSlots.pop()!;
  for (let word = 0; word < (headLength + 3) >>> 2; word += 1) {
    memoryWords[(slot >>> 2) + word] = memoryWords[(before >>> 2) + word]!;
  }
  returnToHead();
}

function returnToHead(): void {
  returnToSlot();
  at += headLength;
}

/** Adds the SHA-256 of a text in UTF-8 to a sum, modulo 2^256, before `completeSums` returns. */
export function addHashOf(sum: Sum, text: string): void {
  beginTexts('');
  writeText(text);
  endText(sum);
}

/** Writes the end of the last block: a bit, zeros, and the length in bits. */
function pad(address: number, length: number, blocks: number): void {
  const end = address + blocks * BLOCK_BYTES;
  const bits = length * 8;
  memoryBytes[address + length] = 0x80;
  let next = address + length + 1;
  for (; next % 4 !== 0; next += 1) memoryBytes[next] = 0;
  for (let word = next >>> 2; word < end >>> 2; word += 1) memoryWords[word] = 0;
  memoryBytes[end - 2] = bits >>> 8;
  memoryBytes[end - 1] = bits & 0xff;
}

function libraryHash(): Sum {
  const digest = hash('sha256', target.subarray(start, at), 'buffer');
  return Uint32Array.from({ length: WORDS }, (_, word) => digest.readUInt32BE(word * 4));
}

/** Hashes the texts that wait; lanes without a text hash one of another call. */
function hashAll(waiting: Waiting): void {
  const { slots, sums, others, count, blocks } = waiting;
  const [first = 0, second = 0, third = 0, fourth = 0] = slots;
  hashLanes(first, second, third, fourth, first + blocks * BLOCK_BYTES, RESULT_AT);
  for (let lane = 0; lane < count; lane += 1) {
    addWords(sums[lane]!, result, lane, LANES);
    const other = others[lane];
    if (other !== undefined) addWords(other, result, lane, LANES);
    freeSlots.push(slots[lane]!);
  }
  waiting.count = 0;
}

/** Adds all hashes of texts that wait for others. Call it before a sum is read. */
export function completeSums(): void {
  for (const waiting of waitingTexts) if (waiting.count > 0) hashAll(waiting);
}

/** Adds a number of 256 bits to a sum. @param from the index of its highest word. @param step the distance of its words */
export function addWords(sum: Sum, added: Sum, from = 0, step = 1): void {
  let carry = 0;
  for (let word = WORDS - 1; word >= 0; word -= 1) {
    // 32-bit integers, because sums above 2^32 are floating-point numbers.
    const one = sum[word]! | 0;
    const both = (one + (added[from + word * step]! | 0)) | 0;
    const total = (both + carry) | 0;
    const isCarried = both >>> 0 < one >>> 0 || total >>> 0 < both >>> 0;
    sum[word] = total;
    carry = isCarried ? 1 : 0;
  }
}
