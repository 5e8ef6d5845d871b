/** Most characters of a key. */
const KEY_LENGTH_MAX = 255;

/** A text of structured fields (RFC 8941): visible characters and blanks, with `\"` and `\\`. */
const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;
/** The same without quotes, as many clients send it: visible characters. */
const BARE = /^[!#-~][!-~]*$/;

/**
 * The key that a header names. `"a"` and `a` are one key.
 * @param header as sent; a repeated header is joined by a comma and a space and is malformed
 * @returns undefined if it is malformed
 */
export function keyInHeader(header: string): string | undefined {
  const quoted = QUOTED.exec(header)?.[1]?.replace(/\\(["\\])/g, '$1');
  const key = quoted ?? (BARE.test(header) ? header : undefined);
  return key !== undefined && key.length > 0 && key.length <= KEY_LENGTH_MAX ? key : undefined;
}
