import { isUtf8 } from 'node:buffer';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';

/**
 * A number literal that JSON.parse might round: 16 digits or more, or an exponent. Looked for in the raw text because
 * the parsed number no longer tells. A hit inside a string only costs the slower way of parsing.
 */
const LOSSY_NUMBER_NEARBY = /[:[,]\s*-?\d(?:[\d.]{15,}|[\d.]*[eE])/;

const SIGNIFICANT_DIGITS_MAX = 15;

/** A request body, and the bytes that it was read from. */
export interface ParsedBody {
  value: unknown;
  sent: Buffer;
}

/**
 * Parses a request body.
 * @param bytes the body as received, after decompression
 * @returns the value, in which every number literal with more than 15 significant digits or an exponent is a
 *   `JSON.rawJSON` object (so that no digit is lost unseen and opaque values are kept whole), with the bytes; or a refusal
 *   `parse_error`
 */
export function parseJsonBody(bytes: Buffer): ParsedBody | Refused {
  if (bytes.length === 0) return refuse('parse_error', { detail: 'The body is empty; send a JSON object.' });
  if (!isUtf8(bytes)) return refuse('parse_error', { detail: 'The body is not valid UTF-8.' });
  const text = bytes.toString('utf8');
  try {
    const value: unknown = JSON.parse(text);
    return { value: LOSSY_NUMBER_NEARBY.test(text) ? parseKeepingDigits(text, value) : value, sent: bytes };
  } catch (error) {
    return refuse('parse_error', { detail: `The body is not valid JSON${positionOf(error, text)}.` });
  }
}

function parseKeepingDigits(text: string, parsed: unknown): unknown {
  try {
    return JSON.parse(text, keepDigits);
  } catch (error) {
    // A reviver recurses, JSON.parse alone does not: what is nested too deep for it is refused by the depth check anyway.
    if (error instanceof RangeError) return parsed;
    throw error;
  }
}

function keepDigits(this: unknown, _key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  return typeof value === 'number' && source !== undefined && isLossy(source) ? JSON.rawJSON(source) : value;
}

function isLossy(literal: string): boolean {
  if (/[eE]/.test(literal)) return true;
  return literal.replace(/^-?0*\.?0*|\./g, '').length > SIGNIFICANT_DIGITS_MAX;
}

/** V8 tells where the fault is but also quotes the text around it; only line and column are passed on. */
function positionOf(error: unknown, text: string): string {
  const match = error instanceof SyntaxError ? /at position (\d+)/.exec(error.message) : null;
  if (!match) return /Unexpected end/.test(String(error)) ? ': it ends too early' : '';
  const before = text.slice(0, Number(match[1]));
  const line = before.split('\n').length;
  return `: line ${line}, column ${before.length - before.lastIndexOf('\n')}`;
}
