/** French Excel splits at semicolons. Programs read the same data as JSON lines. */
const SEPARATOR = ';';
/** Starts of formulas, also behind every character at which some spreadsheet starts a new cell. */
const FORMULA_STARTS = /(^|[;,\t\r\n])(?= *[=+\-@|\uFF0B\uFF0D\uFF1D\uFF20])/g;

/** The first line of a CSV file, with the byte order mark by which Excel recognizes UTF-8. */
export function csvHead(columns: readonly string[]): string {
  return `\uFEFF${csvLine(columns)}`;
}

/** A line of a CSV file, all cells quoted. An apostrophe keeps a spreadsheet from running a cell as a formula. */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(SEPARATOR)}\r\n`;
}

function csvCell(value: string | number | null): string {
  const text = typeof value === 'string' ? value.replaceAll(FORMULA_STARTS, "$1'") : (value ?? '');
  return `"${String(text).replaceAll('"', '""')}"`;
}
