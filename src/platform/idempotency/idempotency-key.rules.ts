/** Most characters of a key. */
const KEY_LENGTH_MAX = 255;

/** A text of structured fields (RFC 8941): visible characters and blanks, with `\"` and `\\`. */
const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;
/** The same without quotes, as many clients send it: visible characters. */
const BARE = /^[!#-~][!-~]*$/;

/**
 * The key that a header names. `"a"` and `a` are one key.
 * @param header as it was sent; a header that was sent twice comes with a comma and a blank in it, and is no key
 * @returns undefined if it is no key
 */
export function keyInHeader(header: string): string | undefined {
  const quoted = QUOTED.exec(header)?.[1]?.replace(/\\(["\\])/g, '$1');
  const key = quoted ?? (BARE.test(header) ? header : undefined);
  return key !== undefined && key.length > 0 && key.length <= KEY_LENGTH_MAX ? key : undefined;
}
