/**
 * Forms in which days, instants, decimals, document paths and supply points are written on the wire: pure tests on
 * strings, used by the schema's formats and by the rules alike.
 */

const INSTANT = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/;
const RFC3339_TIME = /^T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,30})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const HOUR_OF_DAY = /^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/;
const DECIMAL = /^-?(\d+)(?:\.(\d+))?$/;
const CONTROL_CHARACTER = /\p{Cc}/u;
const DAYS_OF_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const HYPHEN = 45;
const DIGIT_ZERO = 48;
const YEAR_MIN = 1900;
const YEAR_MAX = 2199;

/** No decimal carries more significant digits: what a double holds without loss. */
const SIGNIFICANT_DIGITS_MAX = 15;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns whether a text has the form of a UUID. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Returns whether a text is an hour of the day, `HH:MM` from 00:00 to 23:59. */
export function isHourOfDay(text: string): boolean {
  return HOUR_OF_DAY.test(text);
}

/**
 * Returns whether the text is a real calendar day `YYYY-MM-DD` from 1900-01-01 to 2199-12-31. A payload holds dozens of
 * days, and rules ask again: it reads the characters, which takes a fraction of the time of a pattern with groups.
 */
export function isDay(text: string): boolean {
  if (text.length !== 10 || text.charCodeAt(4) !== HYPHEN || text.charCodeAt(7) !== HYPHEN) return false;
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  // A character that is not a digit makes its number NaN, and every comparison with it false.
  if (!(year >= YEAR_MIN && year <= YEAR_MAX && month >= 1 && month <= 12 && day >= 1)) return false;
  const isLeapYear = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return day <= (month === 2 && isLeapYear ? 29 : DAYS_OF_MONTH[month - 1]!);
}

/**
 * Moves a real calendar day outside 1900-2199 to the nearest day in this range: as the bound of a filter it selects the same rows.
 * @returns any other text unchanged
 */
export function dayInRange(text: string): string {
  if (isDay(text) || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return text;
  const date = new Date(text);
  if (Number.isNaN(date.getTime()) || !date.toISOString().startsWith(text)) return text;
  return text < `${YEAR_MIN}` ? `${YEAR_MIN}-01-01` : `${YEAR_MAX}-12-31`;
}

/** Returns whether a filter can use the text as a bound: any calendar day, or any timestamp of RFC 3339. */
export function isFilterBound(text: string): boolean {
  return isDay(dayInRange(text.slice(0, 10))) && (text.length === 10 || RFC3339_TIME.test(text.slice(10)));
}

/** The number that two digits of a string make; NaN if they are not digits. */
function twoDigits(text: string, index: number): number {
  const tens = text.charCodeAt(index) - DIGIT_ZERO;
  const ones = text.charCodeAt(index + 1) - DIGIT_ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

/** Returns whether the text is a real instant: a day, `T`, a time with seconds, and `Z` or an offset. */
export function isInstant(text: string): boolean {
  const parts = INSTANT.exec(text);
  return parts !== null && isDay(parts[1]!);
}

/**
 * An instant in the one form that compares as text: UTC, to the microsecond that the database keeps.
 * @returns `''` if the string is not an instant
 */
export function instantOf(text: string): string {
  if (!isInstant(text)) return '';
  // The form of nearly all.
  if (text.length === 20) return `${text.slice(0, 19)}.000000Z`;
  const [, upToSeconds = '', fraction = '0', zone = ''] = /^(.{19})(?:\.(\d+))?(.+)$/.exec(text) ?? [];
  const micros = Math.round(Number(`0.${fraction}`) * 1_000_000);
  const second = new Date(Date.parse(upToSeconds + zone) + (micros === 1_000_000 ? 1_000 : 0));
  return `${second.toISOString().slice(0, 19)}.${String(micros % 1_000_000).padStart(6, '0')}Z`;
}

/** Maximum length of a decimal: longer ones cost time to validate, and the database cannot store them. */
export const DECIMAL_LENGTH_MAX = 40;

/** No decimal has more digits behind its point; a field may allow fewer. */
export const DECIMAL_PLACES_MAX = 12;

/** What can be wrong with a decimal; the names are violation codes. */
export type DecimalFault = 'invalid' | 'max_string_length' | 'max_digits' | 'max_decimal_places';

/**
 * Validates a decimal that was sent as a string or as a JSON number.
 * @param decimalPlacesMax how many digits may follow the point
 */
export function decimalFault(value: string | number, decimalPlacesMax = DECIMAL_PLACES_MAX): DecimalFault | undefined {
  if (typeof value === 'number') return numberFault(value, decimalPlacesMax);
  // The first check, so that a long string costs no more than this.
  if (value.length > DECIMAL_LENGTH_MAX) return 'max_string_length';
  const parts = DECIMAL.exec(value);
  if (parts === null) return 'invalid';
  const decimals = parts[2] ?? '';
  if (significantDigits(parts[1]! + decimals) > SIGNIFICANT_DIGITS_MAX) return 'max_digits';
  return decimals.length > decimalPlacesMax ? 'max_decimal_places' : undefined;
}

/** Validates a JSON number; integers, the common case, are not converted to text. */
function numberFault(value: number, decimalPlacesMax: number): DecimalFault | undefined {
  if (Number.isInteger(value)) return Math.abs(value) < 1e15 ? undefined : 'max_digits';
  // Of whole cents, as nearly all are: the double next to n / 100 for an n of 14 digits is written as just that.
  if (decimalPlacesMax >= 2 && Math.abs(value) < 1e12 && Math.round(value * 100) / 100 === value) return undefined;
  if (!Number.isFinite(value)) return 'invalid';
  if (Number(value.toPrecision(SIGNIFICANT_DIGITS_MAX)) !== value) return 'max_digits';
  return decimalPlaces(String(value)) > decimalPlacesMax ? 'max_decimal_places' : undefined;
}

/** Counts the digits behind the point of a number as JavaScript writes it: 0.0000001 is 1e-7. */
function decimalPlaces(text: string): number {
  const [digits = '', exponent = '0'] = text.split('e');
  const point = digits.indexOf('.');
  return (point === -1 ? 0 : digits.length - point - 1) - Number(exponent);
}

/** Counts the digits that carry the value: leading zeros do not. */
function significantDigits(digits: string): number {
  let leading = 0;
  while (leading < digits.length && digits.charCodeAt(leading) === DIGIT_ZERO) leading += 1;
  return digits.length - leading;
}

/** What can be wrong with a document path: the code of the violation, and its sentence. */
export interface DocumentPathFault {
  code: 'document_path_outside_root' | 'invalid';
  detail: string;
}

const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;
// An encoding of an encoding counts too: some store may decode twice.
const ENCODED = /%(?:25)*(?:2e|2f|5c|00)/i;
// Characters that some program takes for a dot or a slash: dot leaders, small and full-width forms.
const LOOKALIKES = /[\u2024\u2025\ufe52\uff0e\uff0f\uff3c]/;
const INVISIBLE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
/** Nearly all paths hold nothing else, and no fault can be in them but a segment of dots. */
const PLAIN_PATH = /^[\w /-]+(?:\.[\w /-]+)*$/;

/**
 * Finds why a document path may lead outside of the import supplier's document root, or look other than it is. Only a whole
 * segment `..` leaves the root: two dots within a name are a name. A leading slash means the root itself and is cut before use.
 */
export function documentPathFault(text: string): DocumentPathFault | undefined {
  if (PLAIN_PATH.test(text) && !text.includes('/.') && relativeDocumentPath(text) !== '') return undefined;
  const outside = (detail: string): DocumentPathFault => ({ code: 'document_path_outside_root', detail });
  if (relativeDocumentPath(text) === '') {
    return outside('The path names the document root itself; name a document below it.');
  }
  if (ADDRESS.test(text)) {
    return outside(
      "This is a whole address; send the path below the import supplier's document root only, without scheme and host or bucket.",
    );
  }
  if (text.includes('\\')) return outside('The path holds a backslash; parts of a path are separated by /.');
  if (ENCODED.test(text)) {
    return outside('The path holds an encoded dot, slash, backslash or U+0000; send the path as it is, not encoded.');
  }
  if (LOOKALIKES.test(text)) {
    return outside('The path holds a character that is easily taken for a dot or a slash, such as a full-width dot.');
  }
  if (INVISIBLE.test(text)) {
    return {
      code: 'invalid',
      detail: 'The path holds a control character, or one that changes the direction of the text.',
    };
  }
  // Of several characters for dots too: an ellipsis is three of them to some programs.
  const dots = text.split('/').some((segment) => /^\.{1,}$/.test(segment.normalize('NFKC').trim()));
  return dots ? outside('A part of the path consists of dots only, such as . or ..; leave it out.') : undefined;
}

/** Returns whether a document path stays under the import supplier's document root. */
export function isContainedDocumentPath(text: string): boolean {
  return documentPathFault(text) === undefined;
}

/** The path below the document root: leading slashes are cut. */
export function relativeDocumentPath(text: string): string {
  return text.replace(/^\/+/, '');
}

/** Returns whether the text holds a control character. */
export function hasControlCharacter(text: string): boolean {
  return CONTROL_CHARACTER.test(text);
}

/** Returns whether the text is a PRM, the number of an electricity point. No public check digit exists. */
export function isPrm(text: string): boolean {
  return /^[0-9]{14}$/.test(text);
}

/** Returns whether the text is a PCE, the number of a gas point: 14 digits, or GI and six digits at large sites. */
export function isPce(text: string): boolean {
  return /^(?:[0-9]{14}|GI[0-9]{6})$/.test(text);
}
