/** Makes foreign text storable: replaces U+0000 and unpaired surrogates, which Postgres rejects in text and JSON, with U+FFFD. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
