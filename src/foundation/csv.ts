/** French Excel splits at semicolons. Programs read the same data as JSON lines. */
const SEPARATOR = ';';
/** Starts of formulas, also behind every character at which some spreadsheet starts a new cell. */
const FORMULA_STARTS = /(^|[;,\t\r\n])(?= *[=+\-@|\uFF0B\uFF0D\uFF1D\uFF20])/g;

const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** A cell of a line; `decimal` is the text of a number, which is written as it is, although a negative one starts like a formula. */
export type CsvCell = string | number | null | { decimal: string };

/** The first line of a CSV file, with the byte order mark by which Excel recognizes UTF-8. */
export function csvHead(columns: readonly string[]): string {
  return `\uFEFF${csvLine(columns)}`;
}

/** A line of a CSV file, all cells quoted. An apostrophe keeps a spreadsheet from running a cell as a formula. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(SEPARATOR)}\r\n`;
}

function csvCell(cell: CsvCell): string {
  const value = typeof cell === 'object' && cell !== null ? cell.decimal : (cell ?? '');
  const isNumber = value !== cell && DECIMAL.test(String(value));
  const text = typeof value === 'string' && !isNumber ? value.replaceAll(FORMULA_STARTS, "$1'") : String(value);
  return `"${text.replaceAll('"', '""')}"`;
}
