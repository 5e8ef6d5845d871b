/** Maximum length of a key. */
const KEY_LENGTH_MAX = 255;

/** A string of structured fields (RFC 8941): visible characters and blanks, with `\"` and `\\`. */
const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;
/** A key without quotes, as many clients send it: visible characters. */
const BARE = /^[!#-~][!-~]*$/;

/**
 * Returns the key in a header; `"a"` and `a` are the same key.
 * @param header as sent; a repeated header is joined with a comma and a space, and is malformed
 * @returns undefined if it is malformed
 */
export function keyInHeader(header: string): string | undefined {
  const quoted = QUOTED.exec(header)?.[1]?.replace(/\\(["\\])/g, '$1');
  const key = quoted ?? (BARE.test(header) ? header : undefined);
  return key !== undefined && key.length > 0 && key.length <= KEY_LENGTH_MAX ? key : undefined;
}
