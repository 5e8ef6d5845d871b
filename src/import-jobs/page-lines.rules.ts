import type { Line } from './work-off/line-kind.rules.ts';

/** Longest line, and most bytes of a page. */
export const LINE_BYTES_MAX = 1_048_576;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const BLANK = 32;
const TAB = 9;

/** Whether a line is empty or has only white space, so that it is not a record. */
export function isBlankLine(bytes: Buffer): boolean {
  for (const byte of bytes) {
    if (byte !== BLANK && byte !== TAB && byte !== CARRIAGE_RETURN) return false;
  }
  return true;
}

function withoutCarriageReturn(bytes: Buffer): Buffer {
  return bytes.at(-1) === CARRIAGE_RETURN ? bytes.subarray(0, -1) : bytes;
}

/**
 * Splits a page into its records, each with its line number. Blank lines are counted and omitted.
 * @param body the unpacked page
 * @param firstLine the number of its first line in the job
 */
export function linesOfPage(body: Buffer, firstLine: number): Line[] {
  const lines: Line[] = [];
  let line = firstLine;
  for (let start = 0; start <= body.length; line += 1) {
    const end = body.indexOf(LINE_FEED, start);
    const bytes = body.subarray(start, end === -1 ? body.length : end);
    if (!isBlankLine(bytes)) lines.push({ line, bytes: withoutCarriageReturn(bytes) });
    if (end === -1) break;
    start = end + 1;
  }
  return lines;
}
