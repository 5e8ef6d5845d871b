import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { csvHead, csvLine } from '../foundation/csv.ts';
import { CommandError, exitStatuses } from './command-error.ts';

/**
 * Writes lines of JSON from the service as CSV.
 * @param columns members that are columns of the same name
 * @param decimals columns of numbers
 */
export async function* csvOf(
  lines: Readable,
  columns: readonly string[],
  decimals: readonly string[] = [],
): AsyncGenerator<Buffer> {
  yield Buffer.from(csvHead(columns));
  for await (const line of createInterface({ input: lines, crlfDelay: Infinity })) {
    const entry = JSON.parse(line) as Partial<Record<string, string>>;
    const cellOf = (column: string) => {
      const value = entry[column] ?? null;
      return value !== null && decimals.includes(column) ? { decimal: value } : value;
    };
    yield Buffer.from(csvLine(columns.map(cellOf)));
  }
}

/** A row of a CSV file. */
export interface CsvRow {
  /** The line of the file in which it begins, from 1. */
  line: number;
  cells: string[];
}

const MARK = '\uFEFF';
const QUOTE = '"';

/**
 * Reads a CSV file (RFC 4180): quoted cells may contain separators, line breaks and doubled quotes. Rows without any character are skipped.
 * @param file its name in messages
 * @throws CommandError with the line if a quote is not closed, or is followed by other text
 */
export function* readCsv(text: string, file: string): Generator<CsvRow> {
  const content = text.startsWith(MARK) ? text.slice(1) : text;
  const separator = separatorOf(content);
  let line = 1;
  for (let at = 0; at < content.length;) {
    const cells: string[] = [];
    const begin = line;
    for (;;) {
      const cell = content[at] === QUOTE ? quotedCell(content, at) : plainCell(content, at, separator);
      if (cell === undefined) throw badLine(file, begin, 'has a quote that is not closed');
      cells.push(cell.value);
      line += cell.breaks;
      at = cell.end;
      if (content[at] !== separator) break;
      at += 1;
    }
    if (at < content.length && content[at] !== '\n' && content[at] !== '\r') {
      throw badLine(file, line, 'has text after a closing quote');
    }
    at += content.startsWith('\r\n', at) ? 2 : 1;
    line += 1;
    if (cells.length > 1 || cells[0] !== '') yield { line: begin, cells };
  }
}

function badLine(file: string, line: number, problem: string): CommandError {
  return new CommandError(`${file}: line ${line} ${problem}.`, exitStatuses.usage);
}

/** The separator of the header: a semicolon, as French spreadsheets write, or a comma. */
function separatorOf(content: string): ';' | ',' {
  const header = content.slice(0, content.search(/[\r\n]|$/)).replace(/"[^"]*"/g, '');
  return header.includes(';') ? ';' : ',';
}

interface Cell {
  value: string;
  end: number;
  /** Line breaks in it. */
  breaks: number;
}

function plainCell(content: string, start: number, separator: string): Cell {
  let end = start;
  while (end < content.length && content[end] !== separator && content[end] !== '\n' && content[end] !== '\r') end += 1;
  return { value: content.slice(start, end), end, breaks: 0 };
}

function quotedCell(content: string, start: number): Cell | undefined {
  let value = '';
  for (let from = start + 1; ;) {
    const end = content.indexOf(QUOTE, from);
    if (end === -1) return undefined;
    value += content.slice(from, end);
    if (content[end + 1] !== QUOTE) return { value, end: end + 1, breaks: value.split(/\r\n|\r|\n/).length - 1 };
    value += QUOTE;
    from = end + 2;
  }
}
