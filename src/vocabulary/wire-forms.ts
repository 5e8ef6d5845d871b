/** Formats of dates, timestamps, decimals, document paths and supply points on the wire: pure functions on strings, for schema formats and rules. */

const INSTANT = /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/;
const RFC3339_TIME = /^T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,30})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const HOUR_OF_DAY = /^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/;
const DECIMAL = /^-?(\d+)(?:\.(\d+))?$/;
const CONTROL_CHARACTER = /\p{Cc}/u;
const DAYS_OF_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const HYPHEN = 45;
const DIGIT_ZERO = 48;
const YEAR_MIN = 1900;
const YEAR_MAX = 2199;

/** Maximum number of significant digits of a decimal: as many as a double holds without loss. */
const SIGNIFICANT_DIGITS_MAX = 15;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns whether a string has the format of a UUID. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Returns whether a string is a time of day, `HH:MM` from 00:00 to 23:59. */
export function isHourOfDay(text: string): boolean {
  return HOUR_OF_DAY.test(text);
}

/**
 * Returns whether a string is a valid date `YYYY-MM-DD` from 1900-01-01 to 2199-12-31. Reads characters, because payloads contain dozens of
 * dates and a regular expression with groups is several times slower.
 */
export function isDay(text: string): boolean {
  if (text.length !== 10 || text.charCodeAt(4) !== HYPHEN || text.charCodeAt(7) !== HYPHEN) return false;
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  // Non-digits make a number NaN, and comparisons with NaN are false.
  if (!(year >= YEAR_MIN && year <= YEAR_MAX && month >= 1 && month <= 12 && day >= 1)) return false;
  const isLeapYear = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return day <= (month === 2 && isLeapYear ? 29 : DAYS_OF_MONTH[month - 1]!);
}

/**
 * Moves a valid date outside 1900-2199 to the nearest date in this range. As the bound of a filter it selects the same rows.
 * @returns any other string unchanged
 */
export function dayInRange(text: string): string {
  if (isDay(text) || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return text;
  const date = new Date(text);
  if (Number.isNaN(date.getTime()) || !date.toISOString().startsWith(text)) return text;
  return text < `${YEAR_MIN}` ? `${YEAR_MIN}-01-01` : `${YEAR_MAX}-12-31`;
}

/** Returns whether a string can be the bound of a filter: any valid date, or any timestamp of RFC 3339. */
export function isFilterBound(text: string): boolean {
  return isDay(dayInRange(text.slice(0, 10))) && (text.length === 10 || RFC3339_TIME.test(text.slice(10)));
}

/** The number at two digits of a string; NaN if they are not digits. */
function twoDigits(text: string, index: number): number {
  const tens = text.charCodeAt(index) - DIGIT_ZERO;
  const ones = text.charCodeAt(index + 1) - DIGIT_ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

/** Returns whether a string is a valid timestamp: a date, `T`, a time with seconds, and `Z` or an offset. */
export function isInstant(text: string): boolean {
  return INSTANT.test(text) && isDay(text.slice(0, 10));
}

/**
 * Normalizes a timestamp so that it compares as a string: UTC, with the microseconds of the database.
 * @returns `''` if it is not a timestamp
 */
export function instantOf(text: string): string {
  if (!isInstant(text)) return '';
  // The usual format.
  if (text.length === 20) return `${text.slice(0, 19)}.000000Z`;
  const inUtc = text.length === WITH_OFFSET ? fullHoursToUtc(text) : undefined;
  if (inUtc !== undefined) return inUtc;
  const [, upToSeconds = '', fraction = '0', zone = ''] = /^(.{19})(?:\.(\d+))?(.+)$/.exec(text) ?? [];
  const micros = Math.round(Number(`0.${fraction}`) * 1_000_000);
  const second = new Date(Date.parse(upToSeconds + zone) + (micros === 1_000_000 ? 1_000 : 0));
  return `${second.toISOString().slice(0, 19)}.${String(micros % 1_000_000).padStart(6, '0')}Z`;
}

const WITH_OFFSET = 25;
const MINUS = 45;

/** A timestamp without fraction whose offset has full hours, if its day in UTC is the same, as most are. */
function fullHoursToUtc(text: string): string | undefined {
  if (!text.endsWith(':00')) return undefined;
  const offset = twoDigits(text, 20);
  const hour = twoDigits(text, 11) + (text.charCodeAt(19) === MINUS ? offset : -offset);
  if (!(hour >= 0 && hour <= 23)) return undefined;
  return `${text.slice(0, 11)}${hour < 10 ? '0' : ''}${hour}${text.slice(13, 19)}.000000Z`;
}

/** Maximum length of a decimal. Longer ones take long to validate, and the database cannot store them. */
export const DECIMAL_LENGTH_MAX = 40;

/** Maximum number of decimal places; a field may allow fewer. */
export const DECIMAL_PLACES_MAX = 12;

/** Violation codes of a decimal. */
export type DecimalFault = 'invalid' | 'max_string_length' | 'max_digits' | 'max_decimal_places';

/**
 * Validates a decimal sent as a string or as a JSON number.
 * @param decimalPlacesMax maximum number of decimal places
 */
export function decimalFault(value: string | number, decimalPlacesMax = DECIMAL_PLACES_MAX): DecimalFault | undefined {
  if (typeof value === 'number') return numberFault(value, decimalPlacesMax);
  // Checked first, so that a long string costs nothing more.
  if (value.length > DECIMAL_LENGTH_MAX) return 'max_string_length';
  const parts = DECIMAL.exec(value);
  if (parts === null) return 'invalid';
  const decimals = parts[2] ?? '';
  if (significantDigits(parts[1]! + decimals) > SIGNIFICANT_DIGITS_MAX) return 'max_digits';
  return decimals.length > decimalPlacesMax ? 'max_decimal_places' : undefined;
}

/** Validates a JSON number. Integers, the usual case, are not converted to strings. */
function numberFault(value: number, decimalPlacesMax: number): DecimalFault | undefined {
  if (Number.isInteger(value)) return Math.abs(value) < 1e15 ? undefined : 'max_digits';
  // Whole cents, as in most amounts: the double nearest to n / 100 for an n of up to 14 digits prints as exactly that.
  if (decimalPlacesMax >= 2 && Math.abs(value) < 1e12 && Math.round(value * 100) / 100 === value) return undefined;
  if (!Number.isFinite(value)) return 'invalid';
  if (Number(value.toPrecision(SIGNIFICANT_DIGITS_MAX)) !== value) return 'max_digits';
  return decimalPlaces(String(value)) > decimalPlacesMax ? 'max_decimal_places' : undefined;
}

/** Counts the decimal places of a number as JavaScript prints it: 0.0000001 is 1e-7. */
function decimalPlaces(text: string): number {
  const [digits = '', exponent = '0'] = text.split('e');
  const point = digits.indexOf('.');
  return (point === -1 ? 0 : digits.length - point - 1) - Number(exponent);
}

/** Counts the digits without leading zeros. */
function significantDigits(digits: string): number {
  let leading = 0;
  while (leading < digits.length && digits.charCodeAt(leading) === DIGIT_ZERO) leading += 1;
  return digits.length - leading;
}

/** Violation code and detail of a document path. */
export interface DocumentPathFault {
  code: 'document_path_outside_root' | 'invalid';
  detail: string;
}

const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;
// Includes repeated encoding, because some stores decode twice.
const ENCODED = /%(?:25)*(?:2e|2f|5c|00)/i;
// Characters that some programs treat as a dot or a slash: dot leaders, small and full-width forms.
const LOOKALIKES = /[\u2024\u2025\ufe52\uff0e\uff0f\uff3c]/;
const INVISIBLE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
/** Nearly all paths have only these characters; their only possible fault is a segment of dots. */
const PLAIN_PATH = /^[\w /-]+(?:\.[\w /-]+)*$/;

/**
 * Returns why a document path may leave the import supplier's document root or is misleading. Only a whole segment `..` leaves the root;
 * two dots within a name are allowed. Leading slashes mean the root itself and are removed before use.
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
  // Normalized, because some programs convert an ellipsis to three dots.
  const dots = text.split('/').some((segment) => /^\.{1,}$/.test(segment.normalize('NFKC').trim()));
  return dots ? outside('A part of the path consists of dots only, such as . or ..; leave it out.') : undefined;
}

/** Returns whether a document path stays within the import supplier's document root. */
export function isContainedDocumentPath(text: string): boolean {
  return documentPathFault(text) === undefined;
}

/** The path without leading slashes, relative to the document root. */
export function relativeDocumentPath(text: string): string {
  return text.replace(/^\/+/, '');
}

/** Returns whether a string contains a control character. */
export function hasControlCharacter(text: string): boolean {
  return CONTROL_CHARACTER.test(text);
}

/** Returns whether a string is a PRM, the number of an electricity point. There is no public check digit. */
export function isPrm(text: string): boolean {
  return /^[0-9]{14}$/.test(text);
}

/** Returns whether a string is a PCE, the number of a gas point: 14 digits, or GI and six digits for large sites. */
export function isPce(text: string): boolean {
  return /^(?:[0-9]{14}|GI[0-9]{6})$/.test(text);
}
