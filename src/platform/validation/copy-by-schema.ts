import { findDamagedTexts, holdsBadText, isBadText } from './bad-text.ts';
import { isJsonObject } from '../../vocabulary/loose-payload.ts';
import { hasInvisible, trimText } from '../../vocabulary/invisible-characters.ts';
import { isCellError, isScientific } from '../../vocabulary/spreadsheet-damage.ts';
import { allows, type SchemaNode } from './schema-node.ts';

/** Options and findings of a copying pass. */
export interface CopyPass {
  /** Skips the checks for bad text and long numbers (`RequestToCheck`). */
  isPlain?: boolean;
  /** Value sets that are open for the sender: objects of an unknown variant are kept unchanged. */
  openSets?: readonly string[];
  hasBadText: boolean;
  /** Whether unknown members were dropped. */
  hasDropped: boolean;
  /** Whether a string contains U+FFFD, or a key is in scientific notation. If it is true already, this is not looked for. */
  hasDamagedText: boolean;
}

/** Copies a value by its schema node. */
export type Copy = (value: unknown, pass: CopyPass) => unknown;

const REPLACEMENT = '\ufffd';
const OPEN_END = '9999-12-31';

// Replaces a `JSON.rawJSON` number where an object is expected, because Ajv would accept it as an object.
const NOT_AN_OBJECT = 0;

/**
 * Creates the function that cleans a payload by its schema: drops unknown members at every depth (only documented keys are copied, so
 * `__proto__` and `constructor` are harmless), trims strings, cuts too long lists after one item too many, and keeps opaque values. Values
 * of the wrong type are kept for Ajv to reject. Clean values are returned without copying, so an unchanged payload is returned itself.
 * Copiers are created once per schema node.
 */
export function compileCopy(node: SchemaNode): Copy {
  if (node.opaque === true) return node.type === 'object' ? copyOpaqueObject : copyOpaque;
  if (node.oneOf !== undefined) return taggedCopy(node);
  if (node.type === 'object') return objectCopy(node);
  if (node.type === 'array') return listCopy(node);
  if (!allows(node, 'string')) return copyAsIs;
  if (node.openEnd === true) return copyEnd;
  return node.format === 'key' ? copyKey : copyText;
}

/** For numbers and booleans. */
function copyAsIs(value: unknown): unknown {
  return value;
}

/** Trims blanks and invisible characters. */
function copyText(value: unknown, pass: CopyPass): unknown {
  if (typeof value !== 'string' || value === '') return value;
  if (pass.isPlain !== true && isBadText(value)) pass.hasBadText = true;
  if (!pass.hasDamagedText && isDamaged(value)) pass.hasDamagedText = true;
  return mayBeBlank(value.charCodeAt(0)) || mayBeBlank(value.charCodeAt(value.length - 1)) ? trimText(value) : value;
}

function isDamaged(text: string): boolean {
  return text.includes(REPLACEMENT) || (text.startsWith('#') && isCellError(text.trim()));
}

/** Keeps invisible characters in keys, so that their format rejects them. */
function copyKey(value: unknown, pass: CopyPass): unknown {
  if (typeof value !== 'string') return value;
  if (value.includes('+') && isScientific(value.trim())) pass.hasDamagedText = true;
  const copy = copyText(value, pass);
  return copy !== value && hasInvisible(value) ? value : copy;
}

/** The date 9999-12-31 as the end of a period counts as absent. */
function copyEnd(value: unknown, pass: CopyPass): unknown {
  const copy = copyText(value, pass);
  return typeof copy === 'string' && copy.startsWith(OPEN_END) ? undefined : copy;
}

/** Avoids calling `trim` for most strings: no printable ASCII character is a blank. */
function mayBeBlank(character: number): boolean {
  return character <= 32 || character > 126;
}

/** Keeps an opaque value. */
function copyOpaque(value: unknown, pass: CopyPass): unknown {
  if (pass.isPlain !== true && holdsBadText(value)) pass.hasBadText = true;
  if (!pass.hasDamagedText && findDamagedTexts(value, 1).length > 0) pass.hasDamagedText = true;
  return value;
}

/** Keeps an opaque object. */
function copyOpaqueObject(value: unknown, pass: CopyPass): unknown {
  return JSON.isRawJSON(value) ? NOT_AN_OBJECT : copyOpaque(value, pass);
}

/** Copies the documented members of an object. */
function objectCopy(node: SchemaNode): Copy {
  const members = new Map(Object.entries(node.properties ?? {}).map(([key, member]) => [key, compileCopy(member)]));
  const inherited = [...members.keys()].find((key) => key in Object.prototype);
  if (inherited !== undefined) {
    throw new Error(`the field name ${inherited} is a member of every object; choose another`);
  }
  return (value, pass) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const sent = value as Record<string, unknown>;
    let isUnknownAmong = false;
    let changed: Record<string, unknown> | undefined;
    for (const key in sent) {
      const copyMember = members.get(key);
      if (copyMember === undefined) {
        isUnknownAmong = true;
        continue;
      }
      const member = copyMember(sent[key], pass);
      if (member !== sent[key]) (changed ??= {})[key] = member;
    }
    if (!isUnknownAmong) return changed === undefined ? value : { ...sent, ...changed };
    pass.hasDropped = true;
    // A `JSON.rawJSON` number has no documented member. Checked only here, because checking every object would cost more than iterating it.
    return JSON.isRawJSON(value) ? NOT_AN_OBJECT : documentedMembers(sent, members, changed);
  };
}

/** Copies the object without unknown members, in the order sent. */
function documentedMembers(
  sent: Record<string, unknown>,
  members: ReadonlyMap<string, Copy>,
  changed: Record<string, unknown> = {},
): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const key in sent) {
    if (members.has(key)) copy[key] = Object.hasOwn(changed, key) ? changed[key] : sent[key];
  }
  return copy;
}

/** Copies a list, up to one item more than allowed. */
function listCopy(node: SchemaNode): Copy {
  const copyItem = compileCopy(node.items ?? { opaque: true });
  const copiedMax = (node.maxItems ?? Number.POSITIVE_INFINITY) + 1;
  return (value, pass) => {
    if (!Array.isArray(value)) return value;
    const length = Math.min(value.length, copiedMax);
    let copy: unknown[] | undefined = length < value.length ? value.slice(0, length) : undefined;
    for (let index = 0; index < length; index += 1) {
      const item = copyItem(value[index], pass);
      if (item !== value[index]) (copy ??= value.slice())[index] = item;
    }
    return copy ?? value;
  };
}

function isKind(sent: unknown): boolean {
  return typeof sent === 'string' && sent.trim() !== '';
}

/** Copies an object by the variant that its tag selects. Of an unknown variant only the tag is kept. */
function taggedCopy(node: SchemaNode): Copy {
  const tag = node.discriminator!.propertyName;
  const copies = new Map(node.oneOf!.map((variant) => [variant.properties![tag]!.const!, compileCopy(variant)]));
  const copyTagOnly = objectCopy({ properties: { [tag]: { type: 'string' } } });
  return (value, pass) => {
    const sent = isJsonObject(value) ? value[tag] : undefined;
    const copy = typeof sent === 'string' ? copies.get(sent.trim()) : undefined;
    const isKept = isKind(sent) && node.valueSet !== undefined && pass.openSets?.includes(node.valueSet) === true;
    return (copy ?? (isKept ? copyOpaqueObject : copyTagOnly))(value, pass);
  };
}
