/**
 * Writes a table in Markdown.
 * @param head the titles of the columns
 * @param rows cells as Markdown; `|` in them is written so that it ends no cell
 */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A code, as Markdown shows code. */
export const code = (text: string) => `\`${text}\``;
