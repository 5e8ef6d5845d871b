import { isBlankLine, LINE_BYTES_MAX } from '../page-lines.rules.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';

/** Most records of a page. */
const PAGE_RECORDS_MAX = 250;

/** Lines that become a page. */
export interface CutPage {
  /** Joined by line feeds. */
  body: Buffer;
  physicalLines: number;
  lines: number;
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** Room for a byte order mark, a carriage return, one byte beyond the limit of a line, and a line feed. */
const SLACK_BYTES = 8;

/**
 * Cuts an upload into pages as it arrives, without parsing lines, using memory for one page. Drops the byte order mark and carriage
 * returns. Keeps the line feeds of blank lines, so that line numbers stay correct. Truncates a line that is too long to one byte beyond the
 * limit, so that validation detects it.
 */
export class PageCutter {
  readonly #buffer = Buffer.allocUnsafe(LINE_BYTES_MAX + SLACK_BYTES);
  /** End of the buffered bytes; `#lineStart` is the start of the current line. */
  #used = 0;
  #lineStart = 0;
  #physicalLines = 0;
  #records = 0;
  #linesBefore = 0;
  #recordsBefore = 0;

  /** Records so far. */
  get records(): number {
    return this.#recordsBefore + this.#records;
  }

  /** Lines so far, blank ones included. */
  get lines(): number {
    return this.#linesBefore + this.#physicalLines;
  }

  /** Adds bytes. @returns the pages that they complete */
  *push(chunk: Buffer): Generator<CutPage> {
    for (let start = 0; start < chunk.length;) {
      const end = chunk.indexOf(LINE_FEED, start);
      const piece = chunk.subarray(start, end === -1 ? chunk.length : end);
      if (this.#lineStart > 0 && this.#used + piece.length > LINE_BYTES_MAX) yield this.#page(this.#lineStart - 1);
      this.#used += piece.copy(this.#buffer, this.#used, 0, this.#buffer.length - 1 - this.#used);
      if (end === -1) return;
      this.#endLine();
      if (this.#records === PAGE_RECORDS_MAX) yield this.#page(this.#used);
      else this.#beginLine();
      start = end + 1;
    }
  }

  /** Ends the upload; the last line may lack a line feed. @returns the last page, if any */
  *finish(): Generator<CutPage> {
    if (this.#used > this.#lineStart) {
      this.#endLine();
      this.#beginLine();
    }
    if (this.#physicalLines > 0) yield this.#page(this.#lineStart - 1);
  }

  #endLine(): void {
    const buffer = this.#buffer;
    if (this.#used > this.#lineStart && buffer[this.#used - 1] === CARRIAGE_RETURN) this.#used -= 1;
    if (this.lines === 0 && buffer.subarray(0, Math.min(this.#used, BYTE_ORDER_MARK.length)).equals(BYTE_ORDER_MARK)) {
      buffer.copyWithin(0, BYTE_ORDER_MARK.length, this.#used);
      this.#used -= BYTE_ORDER_MARK.length;
    }
    this.#used = Math.min(this.#used, this.#lineStart + LINE_BYTES_MAX + 1);
    this.#physicalLines += 1;
    if (isBlankLine(buffer.subarray(this.#lineStart, this.#used))) this.#used = this.#lineStart;
    else this.#records += 1;
  }

  #beginLine(): void {
    this.#buffer[this.#used] = LINE_FEED;
    this.#used += 1;
    this.#lineStart = this.#used;
  }

  /** Makes a page of the lines up to `end`; the bytes after them start the next page. */
  #page(end: number): CutPage {
    const page = {
      body: Buffer.from(this.#buffer.subarray(0, end)),
      physicalLines: this.#physicalLines,
      lines: this.#records,
    };
    const rest = end === this.#used ? this.#used : this.#lineStart;
    this.#buffer.copyWithin(0, rest, this.#used);
    this.#used -= rest;
    this.#lineStart = 0;
    this.#linesBefore += this.#physicalLines;
    this.#recordsBefore += this.#records;
    this.#physicalLines = 0;
    this.#records = 0;
    return page;
  }
}

/** Most lines and bytes that are read to recognize the format. */
const LINES_SEEN = 5;
const BYTES_SEEN = 65_536;
const SEVERAL_LINES = 'one JSON document on several lines';
const BYTE_ORDER_MARKS_OF_UTF_16 = ['fffe', 'feff'];
const SEPARATORS = [',', ';', '\t', '|'];

/**
 * Rejects a file of another format, because every line of it would fail. Single invalid lines are left to validation.
 * @param start the first lines of a part
 */
export function rejectOtherFormat(start: Buffer): Refused | undefined {
  const format = formatOf(start);
  if (format === undefined) return undefined;
  return refuse('parse_error', {
    detail: `The part looks like ${format}. Write one JSON object per line (NDJSON), in UTF-8, and send the part again.`,
  });
}

function formatOf(start: Buffer): string | undefined {
  if (BYTE_ORDER_MARKS_OF_UTF_16.includes(start.toString('hex', 0, 2)) || start.subarray(0, 4).includes(0)) {
    return 'UTF-16 or binary data';
  }
  const [first = '', ...others] = firstLines(start);
  if (first.startsWith('[')) return 'a JSON list';
  if (others.length === 0) return undefined;
  const lines = [first, ...others];
  if (first.startsWith('{')) {
    if (first === '{' || (!first.endsWith('}') && others[0]!.startsWith('"'))) return SEVERAL_LINES;
    if (lines.slice(0, -1).every((line) => line.endsWith('},'))) return 'a JSON list without its brackets';
  }
  if (lines.includes('{') && lines.some((line) => line.startsWith('"'))) return SEVERAL_LINES;
  if (lines.some((line) => line.startsWith('{'))) return undefined;
  if (first.startsWith('<')) return 'XML';
  if (SEPARATORS.some((separator) => lines.every((line) => line.includes(separator)))) return 'CSV';
  return lines.length === LINES_SEEN ? 'a format other than NDJSON' : undefined;
}

/** The first lines that are not blank, without the blanks around them. */
function firstLines(start: Buffer): string[] {
  const lines = start.toString('utf8', 0, BYTES_SEEN).split('\n', LINES_SEEN);
  return lines.filter((line) => !isBlankLine(Buffer.from(line))).map((line) => line.trim());
}
