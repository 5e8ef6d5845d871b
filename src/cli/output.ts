import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import Table from 'cli-table3';

/** Columns of a table for people: heading -> path of a member of a row (`actor.name`), or its value. */
export type Columns<Row> = Record<string, string | ((row: Row) => unknown)>;

/** The parts of a table's frame, which are not printed. */
const FRAME = ['top', 'bottom', 'left', 'right', 'mid', 'middle'].flatMap((name) => [
  name,
  ...['left', 'mid', 'right'].map((end) => `${name}-${end}`),
]);
const NO_LINES = { ...Object.fromEntries(FRAME.map((name) => [name, ''])), middle: '  ' };

/** Characters that a terminal interprets. */
const STEERING = /[\p{Cc}\p{Bidi_Control}]/gu;

/** Prints an answer as one JSON line, for programs. */
export function printJson(answer: unknown): void {
  process.stdout.write(`${harmlessJson(JSON.stringify(answer))}\n`);
}

/** Prints an answer as one JSON line with `--json`, otherwise for people. */
export function printAnswer<Answer>(answer: Answer, isJson: boolean | undefined, show: (answer: Answer) => void): void {
  if (isJson) printJson(answer);
  else show(answer);
}

/** Prints lines of JSON from the service as they arrive. */
export async function printJsonLines(lines: Readable): Promise<void> {
  lines.setEncoding('utf8');
  const escaped = async function* (chunks: AsyncIterable<string>) {
    for await (const chunk of chunks) yield harmlessJson(chunk);
  };
  await pipeline(lines, escaped, process.stdout, { end: false });
}

/** Escapes control and bidirectional characters in JSON, so that a terminal does not interpret them. */
function harmlessJson(text: string): string {
  return text.replace(STEERING, (one) =>
    one === '\n' ? one : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Prints rows under their headings, or a sentence if there are no rows. */
export function printTable<Row>(rows: readonly Row[], columns: Columns<Row>, whenEmpty: string): void {
  if (rows.length === 0) return printLine(whenEmpty);
  const table = new Table({
    head: Object.keys(columns),
    chars: NO_LINES,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  const valueIn = (row: Row) => (column: Columns<Row>[string]) =>
    shown(typeof column === 'string' ? memberAt(row, column) : column(row));
  for (const row of rows) table.push(Object.values(columns).map(valueIn(row)));
  printLine(
    table
      .toString()
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n'),
  );
}

/** The member at a path of names, such as `actor.name`. */
export function memberAt(value: unknown, path: string): unknown {
  return path.split('.').reduce((found, name) => (found as Record<string, unknown> | null)?.[name], value);
}

/** Prints a value with all its members, indented; empty members are omitted. */
export function printOutline(value: object, indent = ''): void {
  for (const [name, member] of Object.entries(value)) {
    if (member === null || member === '' || (Array.isArray(member) && member.length === 0)) continue;
    const label = Array.isArray(value) ? '-' : `${name}:`;
    if (typeof member !== 'object') printLine(`${indent}${label} ${shown(member)}`);
    else if (Array.isArray(member) && member.every((item) => typeof item !== 'object')) {
      printLine(`${indent}${label} ${member.map(shown).join(', ')}`);
    } else {
      printLine(`${indent}${label}`);
      printOutline(member as object, `${indent}  `);
    }
  }
}

/** A number with its noun: `1 record`, `2 records`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Prints one line on standard output, or several. */
export function printLine(line: string): void {
  process.stdout.write(`${harmless(line)}\n`);
}

/** Makes a received string safe for a terminal: replaces control characters, except for line feeds and tabs. */
export function harmless(text: string): string {
  return text.replace(STEERING, (one) => (one === '\n' || one === '\t' ? one : '\uFFFD'));
}

/** Formats a value on one line. */
function shown(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  return (typeof value === 'string' ? value : JSON.stringify(value)).replace(STEERING, '\uFFFD');
}

const LISTED_MAX = 200;

/** The first lines of a list, with the number of the others. */
export function shortened(lines: readonly string[]): string[] {
  const more = lines.length - LISTED_MAX;
  return more <= 0 ? [...lines] : [...lines.slice(0, LISTED_MAX), `  and ${more} more`];
}
