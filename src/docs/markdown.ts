/**
 * Writes a Markdown table.
 * @param head column titles
 * @param rows cells as Markdown; `|` is escaped
 */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Inline code in Markdown. */
export const code = (text: string) => `\`${text}\``;
