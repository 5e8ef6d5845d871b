import { Type, type Static, type TProperties, type TSchema } from 'typebox';
import { membersOf, type OpenableSet, type ValueSet } from '../../vocabulary/value-sets.ts';
import type { ViolationCode } from '../../vocabulary/violations.ts';

/**
 * Field types of the wire schemas. *Required* types reject the empty string (`blank`); optional ones accept it, because it counts as
 * absent. Plain JSON Schema with the keywords of `keywords.ts`.
 */

export const TEXT_LENGTH_MAX = 512;
const LIST_LENGTH_MAX = 10_000;
/** Maximum of the database's integer columns. */
export const INTEGER_MAX = 2_147_483_647;

type Format =
  | 'date'
  | 'date-time'
  | 'decimal'
  | 'document-path'
  | 'email'
  | 'hour-of-day'
  | 'key'
  | 'no-control-characters';

/** A string; may be empty. */
export function text(maxLength = TEXT_LENGTH_MAX, format?: Format) {
  return Type.String(format === undefined ? { maxLength } : { maxLength, format });
}

/** A string; must not be empty. */
export function requiredText(maxLength = TEXT_LENGTH_MAX, format?: Format) {
  return Type.String({ ...text(maxLength, format), minLength: 1 });
}

/** A string; may be empty or null. */
export function nullableText(maxLength = TEXT_LENGTH_MAX, format?: Format) {
  return Type.Unsafe<string | null>({ ...text(maxLength, format), type: ['string', 'null'] });
}

/** Documentation of a member of a response. */
interface Documented {
  description?: string;
  /** The first one is shown in the OpenAPI document. */
  examples?: readonly unknown[];
}

/** A nullable string in a response, without length limit. With a format it is never empty. */
export function answeredText({ format, ...documented }: Documented & { format?: string } = {}) {
  return Type.Unsafe<string | null>({
    type: ['string', 'null'],
    ...documented,
    ...(format === undefined ? {} : { format, minLength: 1 }),
  });
}

/** A nullable timestamp in a response. */
export function answeredInstant(documented: Documented = {}) {
  return answeredText({ format: 'date-time', ...documented });
}

/** A nullable value of a closed set in a response. */
export function answeredChoice<S extends ValueSet>(set: S, documented: Documented = {}) {
  return Type.Unsafe<(keyof S & string) | null>({
    type: ['string', 'null'],
    enum: [...membersOf(set), null],
    ...documented,
  });
}

/** A nullable integer in a response. */
export function answeredInteger(documented: Documented = {}) {
  return Type.Unsafe<number | null>({ type: ['integer', 'null'], ...documented });
}

/** One of the values. */
export function oneOf<Value extends string>(values: readonly Value[], documented: Documented = {}) {
  return Type.Unsafe<Value>({ type: 'string', minLength: 1, enum: [...values], ...documented });
}

/** An identifier, reference or code: a string without control characters and invisible characters. */
export function key(maxLength = TEXT_LENGTH_MAX) {
  return text(maxLength, 'key');
}

/** A key; must not be empty. */
export function requiredKey(maxLength = TEXT_LENGTH_MAX) {
  return requiredText(maxLength, 'key');
}

/** A date `YYYY-MM-DD`; may be empty. */
export function day() {
  return Type.String({ format: 'date' });
}

/** The end date of a period; 9999-12-31 counts as absent. */
export function endDay() {
  return Type.String({ format: 'date', openEnd: true });
}

/** A date; must not be empty. */
export function requiredDay() {
  return Type.String({ format: 'date', minLength: 1 });
}

/** A timestamp with `Z` or an offset; may be empty. */
export function instant() {
  return Type.String({ format: 'date-time' });
}

/** The end of a period; a timestamp on 9999-12-31 counts as absent. */
export function endInstant() {
  return Type.String({ format: 'date-time', openEnd: true });
}

/** A timestamp; must not be empty. */
export function requiredInstant(documented: Documented = {}) {
  return Type.String({ format: 'date-time', minLength: 1, ...documented });
}

/** A path below the import supplier's document root. */
export function documentPath() {
  return text(TEXT_LENGTH_MAX, 'document-path');
}

/** A document path; must not be empty. */
export function requiredDocumentPath() {
  return requiredText(TEXT_LENGTH_MAX, 'document-path');
}

/** Money: a JSON number or a decimal string. At most 40 characters, 15 significant digits and 12 decimal places, or `decimalPlacesMax`; no exponent. */
export function money(limits: { decimalPlacesMax?: number } = {}) {
  return Type.Unsafe<number | string>({ type: ['number', 'string'], money: limits });
}

/** Money; must not be empty. */
export function requiredMoney(limits: { decimalPlacesMax?: number } = {}) {
  return Type.Unsafe<number | string>({ type: ['number', 'string'], money: limits, minLength: 1 });
}

/** A JSON number in a range, with the digit limits of money. */
export function decimalNumber(minimum: number, maximum: number) {
  return Type.Unsafe<number>({ type: 'number', minimum, maximum, money: {} });
}

/** A decimal string; JSON numbers are rejected. */
export function decimalText() {
  return Type.String({ format: 'decimal', minLength: 1 });
}

/** An integer; `faultCode` replaces `min_value` and `max_value`. */
export function integer(minimum: number, maximum = INTEGER_MAX, faultCode?: ViolationCode) {
  return Type.Integer(faultCode === undefined ? { minimum, maximum } : { minimum, maximum, faultCode });
}

/** An integer or null. */
export function nullableInteger(minimum: number, maximum: number) {
  return Type.Unsafe<number | null>({ ...integer(minimum, maximum), type: ['integer', 'null'] });
}

/** A JSON number in a range, or null. */
export function nullableDecimalNumber(minimum: number, maximum: number) {
  return Type.Unsafe<number | null>({ ...decimalNumber(minimum, maximum), type: ['number', 'null'] });
}

/** A value of a closed set, or an empty string. `refusedChoices` assigns specific codes to values outside the set. */
export function choice<S extends ValueSet>(set: S, refusedChoices?: Record<string, ViolationCode>) {
  const schema = { type: 'string', enum: membersOf(set) };
  return Type.Unsafe<(keyof S & string) | ''>(refusedChoices === undefined ? schema : { ...schema, refusedChoices });
}

/** A value of a closed set. */
export function requiredChoice<S extends ValueSet>(set: S, documented: Documented = {}) {
  return Type.Unsafe<keyof S & string>({ type: 'string', minLength: 1, enum: membersOf(set), ...documented });
}

/** Allows operators to open a closed set, or the variants of a tagged object, for a supplier. */
export function openable<S extends TSchema>(valueSet: OpenableSet, schema: S): S {
  return { ...schema, valueSet };
}

/** A list of at most 10,000 items. */
export function list<S extends TSchema>(items: S, minItems = 0) {
  return Type.Array(items, minItems === 0 ? { maxItems: LIST_LENGTH_MAX } : { minItems, maxItems: LIST_LENGTH_MAX });
}

/** An object with arbitrary members, kept unchanged. */
export function opaqueObject(documented: Documented = {}) {
  return Type.Unsafe<Record<string, unknown>>({ type: 'object', opaque: true, ...documented });
}

/** Any value, kept unchanged. */
export function opaqueValue(documented: Documented = {}) {
  return Type.Unsafe<unknown>({ opaque: true, ...documented });
}

/**
 * An object whose fields depend on its tag: one variant per entry of `table`. Violations are reported only for the fields of its own
 * variant; an unknown tag is `invalid_choice`.
 * @param shared fields of all variants
 */
export function taggedObject<Tag extends string, Table extends Record<string, TProperties>, Shared extends TProperties>(
  tag: Tag,
  table: Table,
  shared: Shared,
) {
  const variants = Object.entries(table).map(([value, fields]) =>
    Type.Object({ [tag]: Type.Literal(value), ...shared, ...fields }),
  );
  return Type.Unsafe<TaggedObject<Tag, Table, Shared>>({
    type: 'object',
    discriminator: { propertyName: tag },
    oneOf: variants,
  });
}

type TaggedObject<Tag extends string, Table extends Record<string, TProperties>, Shared extends TProperties> = {
  [Value in keyof Table & string]: Record<Tag, Value> & Static<Type.TObject<Shared & Table[Value]>>;
}[keyof Table & string];
