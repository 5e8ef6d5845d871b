import { isUtf8 } from 'node:buffer';
import { parseJsonBody } from '../platform/http/json-body.ts';
import type { Item } from '../reconciliation/compare/form.rules.ts';
import type { ImportJobKind } from '../vocabulary/import-jobs.ts';
import { isJsonObject } from '../vocabulary/loose-payload.ts';
import { isRefused } from '../vocabulary/refusals.ts';
import { recordOf } from './running-totals.validation.ts';

const LINE_FEED = 10;
/** Digits and dots of the shortest number of which a double could lose digits. */
const LONG_NUMBER = 16;

/** How the lines of a file are read. */
export interface LinesToRead {
  kind: ImportJobKind;
  /** The import supplier of lines that do not name it. */
  importSupplier: string | undefined;
}

/** A line that is no record. */
export class BadLine extends Error {
  override name = 'BadLine';
  /** From 1, within the lines that were passed. */
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/**
 * Reads lines of records, as import jobs do. Does not validate them.
 * @param bytes whole lines; blank ones are skipped
 * @returns the number of lines, with the blank ones
 * @throws BadLine
 */
export function readRecords(
  bytes: Buffer,
  { kind, importSupplier }: LinesToRead,
  read: (record: Item) => void,
): number {
  const isText = isUtf8(bytes);
  const inexact = findInexactNumbers(bytes).toSorted((one, other) => one - other);
  let next = 0;
  let line = 0;
  for (let start = 0; start < bytes.length;) {
    const feed = bytes.indexOf(LINE_FEED, start);
    const end = feed === -1 ? bytes.length : feed;
    line += 1;
    const sent = bytes.subarray(start, end);
    while (next < inexact.length && inexact[next]! < start) next += 1;
    const isInexact = next < inexact.length && inexact[next]! < end;
    start = end + 1;
    if (!isText && !isUtf8(sent)) throw new BadLine(line, 'is not valid UTF-8');
    const text = sent.toString();
    if (text.trim() === '') continue;
    const body = parse(sent, text, isInexact);
    if (!isJsonObject(body)) throw new BadLine(line, 'is not a JSON object');
    if (kind === 'accounts' && !Object.hasOwn(body, 'import_supplier')) {
      if (importSupplier === undefined) throw new BadLine(line, 'has no import_supplier; name it with --supplier');
      body['import_supplier'] = importSupplier;
    }
    try {
      read(recordOf(kind, body));
    } catch (error) {
      throw new BadLine(line, `is not a record of ${kind} (${(error as Error).message})`);
    }
  }
  return line;
}

/** @returns undefined if it is not valid JSON */
function parse(bytes: Buffer, text: string, isInexact: boolean): unknown {
  if (isInexact) {
    const parsed = parseJsonBody(bytes);
    return isRefused(parsed) ? undefined : parsed.value;
  }
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfe_ff ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}

/**
 * Finds numbers of which a double may lose digits: long ones, and those with an exponent. In strings they are a coincidence, which only costs
 * time. Reads four bytes at a time; a regular expression takes ten times longer.
 * @returns their places, in no order
 */
function findInexactNumbers(bytes: Buffer): number[] {
  const found: number[] = [];
  const addExponent = (at: number) => {
    const isLetter = (bytes[at]! | LOWER_CASE) === LETTER_E;
    if (isLetter && isDigit(bytes[at - 1]!) && mayBeExponent(bytes[at + 1]!)) found.push(at);
  };
  const first = (WORD_BYTES - (bytes.byteOffset % WORD_BYTES)) % WORD_BYTES;
  const count = Math.max(0, Math.floor((bytes.length - first) / WORD_BYTES));
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + (count === 0 ? -bytes.byteOffset : first), count);
  for (let at = 0; at < Math.min(first, bytes.length); at += 1) addExponent(at);
  for (let word = 0; word < count; word += 1) {
    const differs = (words[word]! | 0x20_20_20_20) ^ 0x65_65_65_65;
    // The highest bit of each byte that is zero; those of higher bytes may be set, too.
    let marks = (differs - 0x01_01_01_01) & ~differs & 0x80_80_80_80;
    for (; marks !== 0; marks &= marks - 1) {
      addExponent(first + word * WORD_BYTES + ((31 - Math.clz32(marks & -marks)) >>> 3));
    }
  }
  for (let at = first + count * WORD_BYTES; at < bytes.length; at += 1) addExponent(at);
  // A long number has a digit or dot at one of these places.
  for (let at = LONG_NUMBER - 1; at < bytes.length; at += LONG_NUMBER) {
    if (!isDigitOrDot(bytes[at]!)) continue;
    let start = at;
    let end = at + 1;
    while (start > 0 && isDigitOrDot(bytes[start - 1]!)) start -= 1;
    while (end < bytes.length && isDigitOrDot(bytes[end]!)) end += 1;
    if (end - start >= LONG_NUMBER) found.push(at);
  }
  return found;
}

const WORD_BYTES = 4;
const LOWER_CASE = 0x20;
const LETTER_E = 0x65;
const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39;
const isDigitOrDot = (byte: number) => isDigit(byte) || byte === 0x2e;
const mayBeExponent = (byte: number) => isDigit(byte) || byte === 0x2b || byte === 0x2d;
