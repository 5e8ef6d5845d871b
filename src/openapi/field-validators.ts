import { allows, type SchemaNode } from '../platform/validation/schema-node.ts';
import { DECIMAL_LENGTH_MAX, DECIMAL_PLACES_MAX } from '../vocabulary/wire-forms.ts';
import { violationSentences, type ViolationCode } from '../vocabulary/violations.ts';

/** An entry of `x-validators`: a check of a field, with its codes. */
export interface FieldValidator {
  name: string;
  description: string;
  possible_errors: string[];
}

/** Codes for any string. */
const TEXT_CODES: readonly ViolationCode[] = ['null_characters_not_allowed', 'surrogate_characters_not_allowed'];

const DECIMAL_CODES: readonly ViolationCode[] = ['max_string_length', 'max_digits', 'max_decimal_places'];

/** Descriptions of string formats. Details of violations are in schema-violations.ts. */
export const formDescriptions: Readonly<Record<string, string>> = {
  date: 'A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31.',
  'date-time': 'A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.',
  decimal: 'A decimal as text: at most 40 characters, 15 significant digits and 12 decimal places, no exponent.',
  'document-path':
    'A path relative to the document root of the import supplier: no full address, no segment . or .., no backslash, no percent-encoding, no control characters.',
  email: 'An e-mail address.',
  'hour-of-day': 'An hour of the day HH:MM from 00:00 to 23:59.',
  key: 'No control characters and no invisible characters.',
  'no-control-characters': 'No control characters.',
};

export const requiredValidator: FieldValidator = {
  name: 'required',
  description: 'Must be sent.',
  possible_errors: ['required'],
};

/**
 * Returns the validators of a field for the OpenAPI document, derived from its schema (with the codes of
 * platform/validation/schema-violations.ts) and the rules for its path.
 */
export function validatorsOf(node: SchemaNode, ruleCodes: Iterable<ViolationCode>): FieldValidator[] {
  return [...formValidators(node), ...rulesValidator([...ruleCodes])];
}

/** A validator for the codes of rules. */
export function rulesValidator(codes: readonly ViolationCode[]): FieldValidator[] {
  if (codes.length === 0) return [];
  return [
    {
      name: 'rules',
      description: codes.map((code) => violationSentences[code]).join(' '),
      possible_errors: [...codes],
    },
  ];
}

function formValidators(node: SchemaNode): FieldValidator[] {
  if (node.opaque === true) return opaqueValidators(node);
  if (node.oneOf !== undefined || node.type === 'object') return [validator('type', 'An object.', ['invalid', 'null'])];
  if (node.type === 'array') return listValidators(node);
  if (node.money !== undefined) return moneyValidators(node);
  if (allows(node, 'string') || node.const !== undefined) return textValidators(node);
  if (allows(node, 'integer')) {
    const codes = node.faultCode === undefined ? ['min_value', 'max_value'] : [node.faultCode];
    return [
      validator('type', 'A whole number.', ['invalid', ...(allows(node, 'null') ? [] : ['null'])]),
      validator('range', `From ${node.minimum} to ${node.maximum}.`, codes),
    ];
  }
  return [validator('type', 'true or false.', ['invalid', 'null'])];
}

function opaqueValidators(node: SchemaNode): FieldValidator[] {
  const kept = validator(
    'content',
    'Stored as sent. Strings must be valid Unicode, numbers must fit the database, and the nesting is limited.',
    [...TEXT_CODES, 'max_digits', 'max_depth'],
  );
  return node.type === 'object'
    ? [validator('type', 'An object with any members.', ['not_a_dict', 'null']), kept]
    : [kept];
}

function listValidators(node: SchemaNode): FieldValidator[] {
  const least = node.minItems ?? 0;
  return [
    validator('type', 'A list.', ['not_a_list', 'null']),
    validator('length', `${least} to ${node.maxItems} items.`, [...(least === 1 ? ['empty'] : []), 'max_length']),
  ];
}

function moneyValidators(node: SchemaNode): FieldValidator[] {
  const places = node.money?.decimalPlacesMax ?? DECIMAL_PLACES_MAX;
  return [
    validator('type', allows(node, 'string') ? 'A JSON number or a decimal as text.' : 'A JSON number.', [
      'invalid',
      ...(allows(node, 'null') ? [] : ['null']),
      ...((node.minLength ?? 0) > 0 ? ['blank'] : []),
      ...TEXT_CODES,
    ]),
    validator(
      'digits',
      `At most ${DECIMAL_LENGTH_MAX} characters and 15 significant digits, at most ${places} of them after the point; no exponent.`,
      DECIMAL_CODES,
    ),
    ...(node.maximum === undefined
      ? []
      : [validator('range', `From ${node.minimum} to ${node.maximum}.`, ['min_value', 'max_value'])]),
  ];
}

function textValidators(node: SchemaNode): FieldValidator[] {
  const isNullable = allows(node, 'null');
  const found = [
    validator('type', `A text${isNullable ? ' or null' : ''}; surrounding spaces are trimmed.`, [
      'invalid',
      ...(isNullable ? [] : ['null']),
      ...TEXT_CODES,
    ]),
  ];
  const { minLength = 0, maxLength, format } = node;
  if (minLength > 0 || maxLength !== undefined) {
    const range = maxLength === undefined ? 'Not blank.' : `${minLength} to ${maxLength} characters.`;
    found.push(
      validator('length', range, [
        ...(minLength > 0 ? ['blank'] : []),
        ...(maxLength === undefined ? [] : ['max_length']),
      ]),
    );
  }
  if (node.const !== undefined) {
    found.push(validator('choice', 'Determines which other fields are allowed.', ['blank', 'invalid_choice']));
  }
  if (node.enum !== undefined) {
    found.push(
      validator('choice', 'One of the listed values.', ['invalid_choice', ...Object.values(node.refusedChoices ?? {})]),
    );
  }
  if (format !== undefined) found.push(validator('form', formDescriptions[format] ?? '', codesOfForm(format)));
  return found;
}

function codesOfForm(format: string): string[] {
  if (format === 'document-path') return ['document_path_outside_root', 'invalid'];
  return format === 'decimal' ? ['invalid', ...DECIMAL_CODES] : ['invalid'];
}

function validator(name: string, description: string, codes: readonly string[]): FieldValidator {
  return { name, description, possible_errors: [...codes] };
}
