import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { violation } from '../../vocabulary/violations.ts';
import { NESTING_MAX } from '../validation/bad-text.ts';
import { scanJson } from './json-scan.ts';
import { printParseErrorCode, visit } from 'jsonc-parser';
import { tableOf } from '../../foundation/table.ts';

/** Maximum number of members and list items: as many as operation 14 accepts, with some margin. */
const VALUES_MAX = 100_100;
/** Members of objects cost more than list items. A megabyte of real accounts has fewer. */
const MEMBERS_MAX = 50_000;
/** For routes with `hasManyMembers`. Their bodies are validated in steps, so that they do not block the event loop. */
const MANY_MEMBERS_MAX = VALUES_MAX;
/** Maximum number of distinct member names. An account has about 200; the rest is for opaque values. */
const NAMES_MAX = 10_000;
/** Bodies up to this depth reach payload validation, which reports the path of the violation. */
const SCANNED_DEPTH_MAX = 2 * NESTING_MAX;
/** Each long number becomes a `JSON.rawJSON` object. */
const LONG_NUMBERS_MAX = 10_000;

const SIGNIFICANT_DIGITS_MAX = 15;
/** Longer literals keep their text, because a double may lose all digits of 0.000...01. */
const LITERAL_LENGTH_MAX = 40;

/** Length of the random marker of numbers. A sender whose string starts with it by coincidence would only get a `parse_error`. */
const MARK_BYTES = 6;

/** Character codes. */
const [QUOTE, BACKSLASH, MINUS, PLUS, DOT, ZERO, NINE] = [0x22, 0x5c, 0x2d, 0x2b, 0x2e, 0x30, 0x39] as const;
const [UPPER_E, LOWER_E] = [0x45, 0x65] as const;

/** A request body, with its bytes. */
export interface ParsedBody {
  value: unknown;
  sent: Buffer;
  /** The bytes as a string. */
  text?: string;
  /** See `RequestToCheck`. */
  isPlain: boolean;
}

/** A body that may be parsed. */
export interface ScannedBody {
  sent: Buffer;
  /** Whether it may contain numbers whose text must be preserved. */
  hasLongNumber: boolean;
  /** See `RequestToCheck`. */
  isPlain: boolean;
}

/**
 * Checks a request body before it is parsed: UTF-8, size limits, and duplicate member names, which parsers resolve differently.
 * @param bytes the decompressed body
 */
export function scanBody(bytes: Buffer, hasManyMembers = false): ScannedBody | Refused {
  const membersMax = hasManyMembers ? MANY_MEMBERS_MAX : MEMBERS_MAX;
  const sent = withoutByteOrderMark(bytes);
  if (sent.length === 0) return refuse('parse_error', { detail: 'The body is empty. Send a JSON object.' });
  if (!isUtf8(sent)) {
    return refuse('parse_error', { detail: `The body is not valid UTF-8: ${describeUtf8Fault(sent)}.` });
  }
  const { fault, hasLongNumber, deepest } = scanJson(sent, {
    depthMax: SCANNED_DEPTH_MAX,
    valuesMax: VALUES_MAX,
    membersMax,
    namesMax: NAMES_MAX,
    longNumbersMax: LONG_NUMBERS_MAX,
  });
  if (fault === undefined) {
    return { sent, hasLongNumber, isPlain: !hasLongNumber && deepest <= NESTING_MAX && !sent.includes(BACKSLASH) };
  }
  const at = (cause: string) => describePosition(sent.toString('utf8', 0, fault.at), cause);
  switch (fault.kind) {
    case 'too-deep':
      return refuse('validation_failed', {
        violations: [
          violation('max_depth', [], `The payload is nested more than ${NESTING_MAX} levels deep (${at('here')}).`),
        ],
      });
    case 'too-many-values':
      return refuse('request_too_large', {
        detail: `The body has more than ${membersMax} members, members of more than ${NAMES_MAX} different names, more than ${VALUES_MAX} members and list items together, or more than ${LONG_NUMBERS_MAX} numbers with an exponent or of more than 15 characters. Split it.`,
      });
    case 'duplicate-member':
      return refuse('parse_error', {
        detail: `The body is not accepted: ${at('an object has a second member with this name')}.`,
      });
  }
}

/**
 * Parses a scanned body.
 * @returns the value with the bytes, or a refusal `parse_error`. Number literals with more than 15 significant digits or an exponent become
 * `JSON.rawJSON` objects, so that no digit is lost and opaque values stay exact.
 */
export function parseScanned({ sent, hasLongNumber, isPlain }: ScannedBody): ParsedBody | Refused {
  const text = sent.toString('utf8');
  try {
    const value: unknown = JSON.parse(text);
    return { value: hasLongNumber ? parseKeepingDigits(text, value) : value, sent, text, isPlain };
  } catch (error) {
    // Parser limits, such as the length of a string, have no position.
    const fault = error instanceof SyntaxError ? describeJsonFault(text) : undefined;
    return refuse('parse_error', { detail: `The body is not valid JSON${fault === undefined ? '' : `: ${fault}`}.` });
  }
}

/** Scans and parses a body. */
export function parseJsonBody(bytes: Buffer): ParsedBody | Refused {
  const scanned = scanBody(bytes);
  return isRefused(scanned) ? scanned : parseScanned(scanned);
}

/** Removes the byte order mark that some programs write. */
function withoutByteOrderMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/**
 * Parses valid JSON and preserves the text of number literals that a double would round. A reviver is called for every value, which took
 * eight seconds for 8 MB of small numbers.
 */
function parseKeepingDigits(text: string, parsed: unknown): unknown {
  const mark = randomBytes(MARK_BYTES).toString('base64url');
  const marked = markLossyNumbers(text, mark);
  if (marked.count === 0) return parsed;
  const value: unknown = JSON.parse(marked.text);
  // A single number is not a payload.
  if (typeof value === 'string') return parsed;
  unmark(value, mark, marked.count);
  return value;
}

/** Replaces each such literal by a string that starts with a random marker, which senders cannot guess. */
function markLossyNumbers(text: string, mark: string): { text: string; count: number } {
  const parts: string[] = [];
  let written = 0;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at);
    else if (code !== MINUS && !isDigit(code)) at += 1;
    else {
      const start = at;
      while (isInNumber(text.charCodeAt(at))) at += 1;
      const literal = text.slice(start, at);
      if (!isLossy(literal)) continue;
      parts.push(text.slice(written, start), `"${mark}${literal}"`);
      written = at;
    }
  }
  return { text: parts.join('') + text.slice(written), count: parts.length / 2 };
}

/** Returns the index after the string literal that starts at `start`. */
function endOfText(text: string, start: number): number {
  let at = start + 1;
  for (let code = text.charCodeAt(at); code !== QUOTE; code = text.charCodeAt(at)) at += code === BACKSLASH ? 2 : 1;
  return at + 1;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

function isInNumber(code: number): boolean {
  return isDigit(code) || code === DOT || code === LOWER_E || code === UPPER_E || code === MINUS || code === PLUS;
}

/** Replaces the marked strings by their literals; iterative, so that deep nesting cannot overflow the stack. */
function unmark(root: unknown, mark: string, count: number): void {
  const open = [root];
  let left = count;
  const read = (member: unknown): unknown => {
    if (typeof member === 'object' && member !== null) open.push(member);
    if (typeof member !== 'string' || !member.startsWith(mark)) return member;
    left -= 1;
    return JSON.rawJSON(member.slice(mark.length));
  };
  while (left > 0 && open.length > 0) {
    const container = open.pop() as Record<string, unknown> | unknown[];
    if (Array.isArray(container)) {
      for (const [index, member] of container.entries()) container[index] = read(member);
    } else {
      for (const key in container) {
        const value = read(container[key]);
        // Assignment to `__proto__` would set the prototype.
        if (key === '__proto__') Object.defineProperty(container, key, { value });
        else container[key] = value;
      }
    }
  }
}

function isLossy(literal: string): boolean {
  if (/[eE]/.test(literal)) return true;
  if (literal.length <= SIGNIFICANT_DIGITS_MAX) return false;
  if (literal.length > LITERAL_LENGTH_MAX) return true;
  return literal.replace(/^-?0*\.?0*|\./g, '').length > SIGNIFICANT_DIGITS_MAX;
}

const REPLACEMENT = '\ufffd';
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT);
const ENDS = 'the text ends too early';
const NUMBER =
  'this is not a JSON number; JSON has no leading zeros, no plus sign, and digits on both sides of the point';
const CLOSING = /^[}\]]$/;

/** Messages by error code of the parser. */
const CAUSES = tableOf({
  InvalidNumberFormat: NUMBER,
  UnexpectedEndOfNumber: NUMBER,
  PropertyNameExpected: 'a member name in double quotes is missing here',
  ValueExpected: 'a value is missing here',
  ColonExpected: 'a colon is missing after a member name',
  CommaExpected: 'a comma or a closing bracket is missing here',
  CloseBraceExpected: 'a comma or } is missing here',
  CloseBracketExpected: 'a comma or ] is missing here',
  EndOfFileExpected: 'there is more text after the end of the JSON value',
  InvalidCommentToken: 'JSON has no comments',
  UnexpectedEndOfComment: 'JSON has no comments',
  InvalidUnicode: 'in this string, \\u is not followed by four hexadecimal digits',
  InvalidEscapeCharacter:
    'in this string, a backslash is not followed by one of " \\ / b f n r t or by u and four hexadecimal digits',
  InvalidCharacter: 'this string contains a control character; escape it, for example as \\t',
});

interface FirstFault {
  code: string;
  at: number;
  length: number;
}

/**
 * Describes why `JSON.parse` rejects a string. Its own messages quote the input and often have no position.
 * @param text not nested deeper than the stack allows (`scanJson` limits it)
 * @returns a message with line, column and cause that quotes nothing; undefined for valid JSON
 */
export function describeJsonFault(text: string): string | undefined {
  const faults: FirstFault[] = [];
  visit(
    text,
    {
      onError: (code, at, length) => {
        if (faults.length === 0) faults.push({ code: printParseErrorCode(code), at, length });
      },
    },
    { disallowComments: true },
  );
  if (faults[0] === undefined) return undefined;
  const { at, cause } = explain(faults[0], text);
  return describePosition(text.slice(0, at), cause);
}

function explain({ code, at, length }: FirstFault, text: string): { at: number; cause: string } {
  const end = at + length;
  const character = text.charAt(at);
  if (code === 'UnexpectedEndOfString') {
    return end >= text.length
      ? { at, cause: 'the string that starts here has no closing quote' }
      : { at: end, cause: 'a string contains a line break; escape it as \\n' };
  }
  if (at >= text.trimEnd().length && code !== 'EndOfFileExpected') return { at, cause: ENDS };
  if (code === 'InvalidSymbol') return { at, cause: causeOfSymbol(character) };
  if (/\d/.test(character) && /\d/.test(text.charAt(at - 1))) return { at, cause: NUMBER };
  if (CLOSING.test(character) && text.slice(0, at).trimEnd().endsWith(',')) {
    return { at, cause: `there is a comma before ${character}; remove it` };
  }
  return { at, cause: CAUSES.get(code) ?? 'this is not JSON' };
}

/** Guesses the intention behind a symbol that starts no JSON value. */
function causeOfSymbol(character: string): string {
  if (character === '#' || character === '/') return 'JSON has no comments';
  if (/[-+.\d]/.test(character)) return NUMBER;
  return 'strings and member names need double quotes, and the only words are true, false and null';
}

/** Describes the position of the first byte of a body that is not valid UTF-8. */
function describeUtf8Fault(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  let offset = 0;
  let from = 0;
  // Invalid bytes are decoded as U+FFFD, which the sender may also have sent.
  for (let at = text.indexOf(REPLACEMENT); at !== -1; at = text.indexOf(REPLACEMENT, from)) {
    offset += Buffer.byteLength(text.slice(from, at));
    if (!bytes.subarray(offset, offset + 3).equals(REPLACEMENT_BYTES)) {
      return describePosition(text.slice(0, at), 'the bytes here are not valid UTF-8');
    }
    offset += REPLACEMENT_BYTES.length;
    from = at + 1;
  }
  return 'it ends within a character';
}

/** Returns line and column of the position after a text, with the cause. */
function describePosition(before: string, cause: string): string {
  return `line ${before.split('\n').length}, column ${before.length - before.lastIndexOf('\n')}: ${cause}`;
}
