import { isCellError, isScientific } from '../../vocabulary/spreadsheet-damage.ts';
import { shownName, violation, type Path, type Violation } from '../../vocabulary/violations.ts';
import { warning, type Warning } from '../../vocabulary/warnings.ts';
import { allows, type SchemaNode } from './schema-node.ts';

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

/** Maximum nesting depth of a payload. */
export const NESTING_MAX = 32;

/**
 * Finds a value that is nested too deep, before any recursive function reads the payload. Walks level by level without recursion, and
 * visits at most 33 levels.
 * @returns the path of the container that is one level too deep, or undefined
 */
export function findTooDeep(payload: unknown): Path | undefined {
  let level = [payload];
  for (let depth = 1; depth <= NESTING_MAX; depth += 1) {
    level = containersIn(level);
    if (level.length === 0) return undefined;
  }
  // A `JSON.rawJSON` number is an object only to JavaScript.
  return level.every(JSON.isRawJSON) ? undefined : pathToDepth(payload, NESTING_MAX);
}

/** Returns the lists and objects one level below. */
function containersIn(level: readonly unknown[]): unknown[] {
  const next: unknown[] = [];
  for (const value of level) {
    if (Array.isArray(value)) {
      for (const item of value) if (typeof item === 'object' && item !== null) next.push(item);
    } else if (typeof value === 'object' && value !== null) {
      for (const key in value) {
        const member = (value as Record<string, unknown>)[key];
        if (typeof member === 'object' && member !== null) next.push(member);
      }
    }
  }
  return next;
}

/** Returns the path of the first container at a depth. Recursion is limited by `depth`. */
function pathToDepth(value: unknown, depth: number): Path | undefined {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return undefined;
  if (depth === 0) return [];
  for (const [key, member] of Object.entries(value)) {
    const rest = pathToDepth(member, depth - 1);
    if (rest !== undefined) return [Array.isArray(value) ? Number(key) : key, ...rest];
  }
  return undefined;
}

type Cut = (value: unknown) => unknown;

/**
 * Creates the function that removes nulls in documented members of a *valid* payload before it is serialized; opaque values are not
 * entered. Visits only paths where the schema allows null; everything else is shared with the payload.
 * @returns undefined if the schema allows no null
 */
export function compileCutNulls(node: SchemaNode): Cut | undefined {
  if (node.opaque === true || node.oneOf !== undefined) return undefined;
  if (node.items !== undefined) return listCut(node.items);
  return node.properties === undefined ? undefined : objectCut(node.properties);
}

function listCut(items: SchemaNode): Cut | undefined {
  const cutItem = compileCutNulls(items);
  if (cutItem === undefined) return undefined;
  return (value) => (Array.isArray(value) ? value.map(cutItem) : value);
}

/** Removes the null members of an object, including nested ones. */
function objectCut(properties: Record<string, SchemaNode>): Cut | undefined {
  const nullable = Object.keys(properties).filter((key) => allows(properties[key]!, 'null'));
  const deeper = Object.entries(properties).flatMap(([key, node]) => {
    const cut = compileCutNulls(node);
    return cut === undefined ? [] : [{ key, cut }];
  });
  if (nullable.length === 0 && deeper.length === 0) return undefined;
  return (value) => {
    const copy = { ...(value as Record<string, unknown>) };
    // Undefined is not serialized either, and deleting members makes serialization several times slower.
    for (const key of nullable) if (copy[key] === null) copy[key] = undefined;
    for (const { key, cut } of deeper) if (copy[key] !== undefined) copy[key] = cut(copy[key]);
    return copy;
  };
}
