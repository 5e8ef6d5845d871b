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
