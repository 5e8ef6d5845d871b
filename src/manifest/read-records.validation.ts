import { isUtf8 } from 'node:buffer';
import { parseJsonBody } from '../platform/http/json-body.ts';
import type { Item } from '../reconciliation/compare/form.rules.ts';
import type { ImportJobKind } from '../vocabulary/import-jobs.ts';
import { isJsonObject } from '../vocabulary/loose-payload.ts';
import { isRefused } from '../vocabulary/refusals.ts';
import { recordOf } from './running-totals.validation.ts';

const LINE_FEED = 10;
/** A number of which a double could lose digits; in strings a coincidence, which only costs time. */
const INEXACT_NUMBER = /[0-9.]{16}|[0-9][eE][0-9+-]/;

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
  let line = 0;
  for (let start = 0; start < bytes.length;) {
    const feed = bytes.indexOf(LINE_FEED, start);
    const end = feed === -1 ? bytes.length : feed;
    line += 1;
    const sent = bytes.subarray(start, end);
    start = end + 1;
    if (!isText && !isUtf8(sent)) throw new BadLine(line, 'is not valid UTF-8');
    const text = sent.toString();
    if (text.trim() === '') continue;
    const body = parse(sent, text);
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
function parse(bytes: Buffer, text: string): unknown {
  if (INEXACT_NUMBER.test(text)) {
    const parsed = parseJsonBody(bytes);
    return isRefused(parsed) ? undefined : parsed.value;
  }
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfe_ff ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}
