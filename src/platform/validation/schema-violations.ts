import type { ErrorObject } from 'ajv';
import {
  decimalFault,
  DECIMAL_LENGTH_MAX,
  DECIMAL_PLACES_MAX,
  documentPathFault,
} from '../../vocabulary/wire-forms.ts';
import { invisibleNameIn } from '../../vocabulary/invisible-characters.ts';
import { dateSerialHint } from '../../vocabulary/spreadsheet-damage.ts';
import { ownMember, tableOf } from '../../foundation/table.ts';
import {
  NON_FIELD_ERRORS,
  violationSentences,
  type Violation,
  type ViolationCode,
} from '../../vocabulary/violations.ts';
import { openableSets } from '../../vocabulary/value-sets.ts';
import { warning, type Warning } from '../../vocabulary/warnings.ts';
import type { SchemaNode } from './schema-node.ts';

/** Longer values are not quoted in details. */
const QUOTED_MAX = 64;

/** A schema violation, with its weight against others for the same path. */
interface Fault extends Violation {
  weight: number;
}

const formatSentences = tableOf({
  date: 'A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31 is expected.',
  'date-time': 'An instant YYYY-MM-DDTHH:MM:SSZ is expected, or one with an offset such as +01:00.',
  decimal: 'A decimal as text is expected, such as "0.1234"; no exponent.',
  email: 'This is not an e-mail address.',
  'hour-of-day': 'An hour of the day HH:MM from 00:00 to 23:59 is expected, such as 22:00.',
  key: 'Control characters and invisible characters are not allowed.',
  'no-control-characters': 'Control characters are not allowed.',
});

/** Converts Ajv errors to violations, at most one per path: the one that explains the others (wrong type, empty string). */
export function violationsOfErrors(errors: readonly ErrorObject[], open?: OpenValues): Violation[] {
  const byAttr = new Map<string, Fault>();
  for (const error of errors) {
    if (open !== undefined && isKeptAsUnknown(error, open)) continue;
    const fault = faultOf(error);
    if (fault === undefined) continue;
    const known = byAttr.get(fault.attr);
    if (known === undefined || fault.weight > known.weight) byAttr.set(fault.attr, fault);
  }
  return Array.from(byAttr.values(), ({ detail, code, attr }) => ({ detail, code, attr }));
}

/** Value sets that are open for a sender, and the unknown values found. */
export interface OpenValues {
  sets: readonly string[];
  found: Warning[];
}

const OPEN_VALUE_LENGTH_MAX = 128;

/** Whether an error is about an unknown value of an open set. Adds a warning for it. */
function isKeptAsUnknown(
  { keyword, instancePath, data, parentSchema, params }: ErrorObject,
  open: OpenValues,
): boolean {
  const { valueSet } = (parentSchema ?? {}) as SchemaNode;
  if (valueSet === undefined || !open.sets.includes(valueSet)) return false;
  const { error, tag, tagValue } = params as Partial<TagParams>;
  const isTag = keyword === 'discriminator' && error === 'mapping';
  const value: unknown = isTag ? tagValue : data;
  if (!isTag && keyword !== 'enum') return false;
  if (typeof value !== 'string' || value.trim() === '' || value.length > OPEN_VALUE_LENGTH_MAX) return false;
  const path = instancePath.slice(1).split('/');
  open.found.push(warning('unknown_value', isTag ? [...path, tag!] : path, openableSets[valueSet]));
  return true;
}

/** Paths of values with the wrong type. */
export function attrsOfWrongType(errors: readonly ErrorObject[]): Set<string> {
  return new Set(
    errors.flatMap(({ keyword, instancePath }) =>
      keyword === 'type' ? [instancePath.slice(1).replaceAll('/', '.')] : [],
    ),
  );
}

/** Converts an Ajv error; undefined if the value is accepted (an empty optional string). */
function faultOf(error: ErrorObject): Fault | undefined {
  const place = error.instancePath.slice(1).replaceAll('/', '.');
  const node = (error.parentSchema ?? {}) as SchemaNode;
  switch (error.keyword) {
    case 'type':
      return typeFault(error.data, node, place);
    case 'required':
      return fault('required', below(place, String(error.params['missingProperty'])));
    case 'discriminator':
      return tagFault(error.params as TagParams, node, place);
    case 'enum':
      return choiceFault(error.data, node, place);
    default:
      return limitFault(error, node, place);
  }
}

/** A value of the wrong type. */
function typeFault(value: unknown, node: SchemaNode, place: string): Fault {
  const isObjectDue = node.type === 'object' && node.opaque !== true;
  if (isObjectDue && (value !== null || place === '')) {
    return fault('invalid', below(place, NON_FIELD_ERRORS), `An object is expected, not ${typeName(value)}.`, 2);
  }
  if (value === null) return fault('null', place, undefined, 2);
  if (node.type === 'array') {
    return fault('not_a_list', place, `A list of items is expected, not ${typeName(value)}.`, 2);
  }
  if (node.type === 'object') {
    return fault('not_a_dict', place, `An object with any members is expected, not ${typeName(value)}.`, 2);
  }
  if (node.money !== undefined && JSON.isRawJSON(value)) {
    if (/[eE]/.test(value.rawJSON)) return fault('invalid', place, 'A number without exponent is expected.', 2);
    return fault(value.rawJSON.length > DECIMAL_LENGTH_MAX ? 'max_string_length' : 'max_digits', place, undefined, 2);
  }
  const hint = node.format === 'date' ? dateSerialHint(value) : '';
  return fault('invalid', place, `${dueTypeName(node)} is expected, not ${typeName(value)}.${hint}`, 2);
}

interface TagParams {
  error: 'tag' | 'mapping';
  tag: string;
  tagValue?: unknown;
}

/** A tag that selects no variant. */
function tagFault(params: TagParams, node: SchemaNode, place: string): Fault {
  const tagAttr = below(place, params.tag);
  const value = params.tagValue;
  if (value === undefined) return fault('required', tagAttr);
  if (value === null) return fault('null', tagAttr);
  if (value === '') return fault('blank', tagAttr);
  if (params.error === 'tag') return fault('invalid', tagAttr, `A text is expected, not ${typeName(value)}.`);
  const choices = (node.oneOf ?? []).map((variant) => variant.properties?.[params.tag]?.const ?? '');
  return fault('invalid_choice', tagAttr, choiceSentence(value, choices));
}

/** A value outside a closed set. An empty string counts as absent, or is rejected as `blank` by `minLength`. */
function choiceFault(value: unknown, node: SchemaNode, place: string): Fault | undefined {
  if (value === '') return undefined;
  const ownCode = typeof value === 'string' ? ownMember(node.refusedChoices ?? {}, value) : undefined;
  if (ownCode !== undefined) return fault(ownCode as ViolationCode, place);
  return fault('invalid_choice', place, choiceSentence(value, node.enum ?? []));
}

/** A value of the right type that exceeds a limit or has the wrong format. */
function limitFault(error: ErrorObject, node: SchemaNode, place: string): Fault {
  switch (error.keyword) {
    case 'minLength':
      if (error.data === '') return fault('blank', place, undefined, 1);
      return fault('min_length', place, `At least ${node.minLength} characters are needed.`);
    case 'maxLength':
      return fault('max_length', place, `At most ${node.maxLength} characters are allowed.`);
    case 'minItems':
      if (node.minItems === 1) return fault('empty', place);
      return fault('min_length', place, `At least ${node.minItems} items are needed.`);
    case 'maxItems':
      return fault('max_length', place, `At most ${node.maxItems} items are allowed.`);
    case 'minimum':
      return fault(
        (node.faultCode as ViolationCode | undefined) ?? 'min_value',
        place,
        rangeDetail(error, node) ?? `The number must be at least ${node.minimum}.`,
      );
    case 'maximum':
      return fault(
        (node.faultCode as ViolationCode | undefined) ?? 'max_value',
        place,
        rangeDetail(error, node) ?? `The number must be at most ${node.maximum}.`,
      );
    case 'money':
      return decimalViolation(error.data as string | number, place, node.money?.decimalPlacesMax);
    case 'format':
      if (node.format === 'document-path') return documentPathViolation(error.data as string, place);
      if (node.format === 'decimal') return decimalViolation(error.data as string, place);
      return fault('invalid', place, `${formatSentences.get(node.format ?? '') ?? ''}${hintFor(error.data, node)}`);
    default:
      return fault('invalid', place);
  }
}

/** The schema's own detail for a number that is out of range. */
function rangeDetail({ data }: ErrorObject, node: SchemaNode): string | undefined {
  return node.rangeDetail?.replace('{value}', () => String(data));
}

/** Hint for values whose fault is hard to see. */
function hintFor(value: unknown, { format }: SchemaNode): string {
  const name = format === 'no-control-characters' ? undefined : invisibleNameIn(String(value));
  if (name !== undefined) return ` It contains the invisible character ${name}; remove it.`;
  return format === 'date' ? dateSerialHint(value) : '';
}

/** A document path that leaves the root or contains misleading characters. */
function documentPathViolation(path: string, place: string): Fault {
  const { code, detail } = documentPathFault(path) ?? { code: 'document_path_outside_root' };
  return fault(code, place, detail);
}

/** A malformed or too precise decimal. */
function decimalViolation(value: string | number, place: string, decimalPlacesMax?: number): Fault {
  const code = decimalFault(value, decimalPlacesMax) ?? 'invalid';
  if (code === 'invalid') return fault(code, place, 'A decimal number without exponent is expected, such as 84.50.');
  return fault(
    code,
    place,
    code === 'max_decimal_places'
      ? `At most ${decimalPlacesMax ?? DECIMAL_PLACES_MAX} decimal places are allowed.`
      : undefined,
  );
}

/** Creates a violation. The heaviest one for a path is reported. */
function fault(code: ViolationCode, place: string, detail: string = violationSentences[code], weight = 0): Fault {
  return { detail, code, attr: place === '' ? NON_FIELD_ERRORS : place, weight };
}

/** The path of a member. */
function below(place: string, member: string): string {
  return place === '' ? member : `${place}.${member}`;
}

/** Detail with the allowed values, quoting the sent one if it is short. */
function choiceSentence(value: unknown, choices: readonly string[]): string {
  const quoted =
    typeof value === 'string' && value.length <= QUOTED_MAX ? `${JSON.stringify(value)} is not` : 'The value is not';
  return `${quoted} one of ${choices.join(', ')}.`;
}

const TYPE_NAMES = tableOf({ string: 'a text', number: 'a number', boolean: 'a boolean' });

/** Describes the type that was sent. */
function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (JSON.isRawJSON(value)) return 'a number beyond 15 digits or with an exponent';
  return TYPE_NAMES.get(typeof value) ?? 'an object';
}

const DUE_TYPE_NAMES = tableOf({ string: 'A text', integer: 'An integer', number: 'A number', boolean: 'A boolean' });

/** Describes the expected type. */
function dueTypeName(node: SchemaNode): string {
  if (node.money !== undefined) return 'A number or a decimal as text';
  const type = Array.isArray(node.type) ? node.type[0] : node.type;
  return DUE_TYPE_NAMES.get(type ?? '') ?? 'Another type';
}
