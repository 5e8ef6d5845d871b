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

/** Encodes the position after which a page begins as a query parameter (base64url). */
export function encodeTextCursor(parts: readonly string[]): string {
  return Buffer.from(JSON.stringify(parts), 'utf8').toString('base64url');
}

/** Decodes a cursor. @returns undefined if `encodeTextCursor` did not make it */
export function decodeTextCursor(cursor: string): string[] | undefined {
  const parts = parseJson(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (!Array.isArray(parts) || !parts.every((part) => typeof part === 'string')) return undefined;
  // Decoding ignores unknown characters, so a modified cursor could start at another row.
  return encodeTextCursor(parts) === cursor ? parts : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
