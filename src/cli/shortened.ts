const LISTED_MAX = 200;

/** The first lines of a list, with the number of the others. */
export function shortened(lines: readonly string[]): string[] {
  const more = lines.length - LISTED_MAX;
  return more <= 0 ? [...lines] : [...lines.slice(0, LISTED_MAX), `  and ${more} more`];
}
