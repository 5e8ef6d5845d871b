/**
 * Makes a text of a stranger one that the database takes: U+0000 and halves of surrogate pairs, which it refuses in texts
 * and in JSON, become U+FFFD.
 */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
