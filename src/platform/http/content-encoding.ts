/** The content encoding of a request in lower case; `x-gzip` is `gzip` (RFC 9110, 8.4.1.3). */
export function contentEncodingOf(header: string | undefined): string | undefined {
  const encoding = header?.trim().toLowerCase();
  return encoding === 'x-gzip' ? 'gzip' : encoding;
}
