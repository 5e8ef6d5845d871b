/**
 * Reads a list page by page, each page after the key of the last row. A page that is not full is the last one.
 * @param size rows of a page
 * @param read reads the first rows after a key, at most `size`
 */
export async function* keysetPages<Row, Key>(
  first: Key,
  size: number,
  keyOf: (row: Row) => Key,
  read: (after: Key) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let after = first; ;) {
    const rows = await read(after);
    if (rows.length > 0) yield rows;
    if (rows.length < size) return;
    after = keyOf(rows.at(-1)!);
  }
}
