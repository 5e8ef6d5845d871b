import { isCellError, isScientific } from '../../vocabulary/spreadsheet-damage.ts';
import { shownName, violation, type Path, type Violation } from '../../vocabulary/violations.ts';
import { warning, type Warning } from '../../vocabulary/warnings.ts';

/** Longer keys are not written into an `attr`. */
const KEY_SHOWN_MAX = 128;

/**
 * Postgres expands numbers. It rejects numbers with some hundred thousand digits, and slightly shorter ones would fill its memory when the
 * payload is read: seven bytes such as 1e99999 expand to 99,999 digits.
 */
const DIGITS_WRITTEN_OUT_MAX = 500;
const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

const SCIENTIFIC_NOTATION = 'It is in scientific notation; the original number probably had more digits.';
const CELL_ERROR = 'It is what a spreadsheet shows instead of a missing value.';

// Also matches valid pairs: most strings contain no surrogate at all, and one pass is enough.
const SUSPECT = /[\0\ud800-\udfff]/;

/** Returns whether a string contains U+0000 or an unpaired surrogate, which the database cannot store. */
export function isBadText(text: string): boolean {
  return SUSPECT.test(text) && (!text.isWellFormed() || text.includes('\0'));
}

/** Returns whether a number literal is too long for the database when expanded. */
function isTooLong(number: string): boolean {
  const [, whole = '', decimals = '', exponent = '0'] = NUMBER.exec(number) ?? [];
  const shift = Number(exponent);
  return Math.max(whole.length + shift, 0) + Math.max(decimals.length - shift, 0) > DIGITS_WRITTEN_OUT_MAX;
}

/** Returns whether an opaque value contains bad text in a member, a key or a number. Its nesting is bounded. */
export function holdsBadText(value: unknown): boolean {
  if (typeof value === 'string') return isBadText(value);
  if (typeof value !== 'object' || value === null) return false;
  if (JSON.isRawJSON(value)) return isTooLong(value.rawJSON);
  if (Array.isArray(value)) return value.some(holdsBadText);
  for (const key in value) {
    if (isBadText(key) || holdsBadText((value as Record<string, unknown>)[key])) return true;
  }
  return false;
}

/**
 * Finds the paths of bad text and of too long numbers. Runs only if the copying pass has found some.
 * @param listedMax maximum number of violations
 */
export function findBadText(value: unknown, listedMax: number, path: Path = [], found: Violation[] = []): Violation[] {
  if (found.length >= listedMax) return found;
  if (typeof value === 'string') {
    if (isBadText(value)) found.push(badTextViolation(value, path));
  } else if (JSON.isRawJSON(value)) {
    if (isTooLong(value.rawJSON)) {
      found.push(
        violation('max_digits', path, `Written out, the number has more than ${DIGITS_WRITTEN_OUT_MAX} digits.`),
      );
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      // If a key cannot be shown, the path ends at its object.
      const isShown = key.length <= KEY_SHOWN_MAX && !isBadText(key);
      if (isBadText(key)) found.push(badTextViolation(key, path));
      findBadText(member, listedMax, isShown ? [...path, key] : path, found);
    }
  }
  return found;
}

/** Reports U+0000 if a string contains both faults. */
function badTextViolation(text: string, path: Path): Violation {
  return violation(text.includes('\0') ? 'null_characters_not_allowed' : 'surrogate_characters_not_allowed', path);
}

/**
 * Finds valid strings that another program has probably damaged: with U+FFFD, the replacement of a lost character, in scientific
 * notation, or an error of a spreadsheet.
 * @param listedMax maximum number of warnings
 */
export function findDamagedTexts(value: unknown, listedMax: number, path: Path = [], found: Warning[] = []): Warning[] {
  if (found.length >= listedMax) return found;
  if (typeof value === 'string') {
    if (value.includes('\ufffd')) found.push(warning('replacement_character', path));
    else if (isScientific(value)) found.push(warning('possible_spreadsheet_damage', path, SCIENTIFIC_NOTATION));
    else if (isCellError(value)) found.push(warning('possible_spreadsheet_damage', path, CELL_ERROR));
  } else if (typeof value === 'object' && value !== null && !JSON.isRawJSON(value)) {
    for (const [key, member] of Object.entries(value)) {
      findDamagedTexts(member, listedMax, [...path, shownName(key)], found);
    }
  }
  return found;
}
