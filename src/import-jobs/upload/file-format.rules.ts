import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import { isBlankLine } from '../page-lines.rules.ts';

/** The number of lines and bytes from which the format is recognized. */
const LINES_SEEN = 5;
const BYTES_SEEN = 65_536;
const BYTE_ORDER_MARKS_OF_UTF_16 = ['fffe', 'feff'];
const SEPARATORS = [',', ';', '\t'];

/**
 * Rejects a file of another format, in which every line would fail. A single invalid line is left to validation.
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
  const lines = start.toString('utf8', 0, BYTES_SEEN).split('\n').slice(0, LINES_SEEN);
  const [first = '', ...others] = lines.filter((line) => !isBlankLine(Buffer.from(line))).map((line) => line.trim());
  if (first.startsWith('[')) return 'a JSON list';
  const next = others[0] ?? '';
  if (first.startsWith('{')) {
    const isIndented = first === '{' || (!first.endsWith('}') && next.startsWith('"'));
    return isIndented && others.length > 0 ? 'one JSON document on several lines' : undefined;
  }
  const isCsv = SEPARATORS.some(
    (separator) => others.length > 0 && [first, ...others].every((line) => line.includes(separator)),
  );
  return isCsv && !others.some((line) => line.startsWith('{')) ? 'CSV' : undefined;
}
