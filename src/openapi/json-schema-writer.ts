import { pageOfCode } from '../vocabulary/remedies.ts';
import { allows, type SchemaNode } from '../platform/validation/schema-node.ts';
import type { ViolationCode } from '../vocabulary/violations.ts';
import { DECIMAL_LENGTH_MAX, DECIMAL_PLACES_MAX } from '../vocabulary/wire-forms.ts';
import { formDescriptions, requiredValidator, validatorsOf, type FieldValidator } from './field-validators.ts';

/** Plain JSON Schema 2020-12, as OpenAPI 3.1 uses it. */
export type JsonSchema = Record<string, unknown>;

/** Annotations of schema nodes. */
export interface SchemaAnnotations {
  /** Name of the component for a node; undefined if it is written inline. */
  nameOf(node: SchemaNode): string | undefined;
  ruleCodes(node: SchemaNode): Iterable<ViolationCode>;
  description(node: SchemaNode): string | undefined;
}

export interface SchemaWriter {
  /** Writes a request schema, with `x-validators`. */
  request(node: SchemaNode): JsonSchema;
  /** Writes a response schema. */
  reply(node: SchemaNode): JsonSchema;
  readonly components: Record<string, JsonSchema>;
}

/** Pattern of request strings: PostgreSQL cannot store U+0000. */
export const NO_NULL_CHARACTER = '^[^\\u0000]*$';
/** No control characters, and none of the invisible characters that patterns of every dialect can express. */
const KEY =
  '^[^\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff]*$';
const NO_CONTROL_CHARACTERS = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';
const PATTERNS: ReadonlyMap<string, string> = new Map([
  ['key', KEY],
  ['no-control-characters', NO_CONTROL_CHARACTERS],
]);
/** Pattern of a decimal string with at most `places` decimal places. */
const decimalPattern = (places: number) => `^(?:-?[0-9]+(?:\\.[0-9]{1,${places}})?)?$`;
/** Formats that OpenAPI defines; others become patterns or descriptions. */
const PUBLIC_FORMATS = new Set(['date', 'date-time', 'email']);

/**
 * Converts wire schemas with our keywords (platform/validation/keywords.ts) to schemas that every client generator accepts. A node with a
 * name becomes a component.
 * @param others components that are not written from schemas
 */
export function createSchemaWriter(
  facts: SchemaAnnotations,
  others: Readonly<Record<string, JsonSchema>>,
): SchemaWriter {
  const components: Record<string, JsonSchema> = { ...others };
  const claim = createClaims(Object.keys(others));
  const write = (node: SchemaNode, isRequest: boolean): JsonSchema => {
    const name = facts.nameOf(node);
    if (name === undefined) return writeNode(node, isRequest);
    claim(name, node);
    if (components[name] === undefined) {
      components[name] = {};
      Object.assign(components[name], writeNode(withoutNull(node), isRequest));
    }
    return orNull(node, { $ref: `#/components/schemas/${name}` });
  };

  function writeNode(node: SchemaNode, isRequest: boolean): JsonSchema {
    const validators = isRequest ? validatorsOf(node, facts.ruleCodes(node)) : [];
    const rules = isRequest
      ? [...facts.ruleCodes(node)].map((code) => `[${code}](${pageOfCode(code)})`).join(', ')
      : '';
    const description = [facts.description(node), noteOf(node), rules === '' ? '' : `Rules: ${rules}.`]
      .filter(Boolean)
      .join(' ');
    return {
      ...(description === '' ? {} : { description }),
      ...shapeOf(
        node,
        (child) => write(child, isRequest),
        (object) => membersOf(object, isRequest),
        (text) => textShape(text, isRequest),
        components,
      ),
      ...(validators.length === 0 ? {} : { 'x-validators': validators }),
    };
  }

  function membersOf(node: SchemaNode, isRequest: boolean): Record<string, JsonSchema> {
    const required = new Set(node.required);
    return Object.fromEntries(
      Object.entries(node.properties ?? {}).map(([key, member]) => {
        const written = write(member, isRequest);
        if (!isRequest || !required.has(key)) return [key, written];
        // Beside a `$ref`, only `required` is specific to this property.
        return [
          key,
          {
            ...written,
            'x-validators': [requiredValidator, ...((written['x-validators'] as FieldValidator[] | undefined) ?? [])],
          },
        ];
      }),
    );
  }

  return { request: (node) => write(node, true), reply: (node) => write(node, false), components };
}

/**
 * Returns a function that claims the name of a component for a schema.
 * @throws Error if another schema has the name, because one of them would be lost
 */
function createClaims(taken: readonly string[]): (name: string, node: SchemaNode) => void {
  const claimed = new Map(taken.map((name) => [name, '']));
  return (name, node) => {
    const shape = JSON.stringify(node);
    const before = claimed.get(name) ?? shape;
    if (before !== shape) throw new Error(`two schemas are named ${name}: give one another title`);
    claimed.set(name, shape);
  };
}

type WriteChild = (node: SchemaNode) => JsonSchema;

function shapeOf(
  node: SchemaNode,
  write: WriteChild,
  members: (node: SchemaNode) => Record<string, JsonSchema>,
  text: (node: SchemaNode) => JsonSchema,
  components: Record<string, JsonSchema>,
): JsonSchema {
  if (node.opaque === true) return node.type === 'object' ? { type: 'object', additionalProperties: true } : {};
  if (node.oneOf !== undefined) return taggedShape(node, write, components);
  if (node.anyOf !== undefined) return { anyOf: node.anyOf.map(write) };
  if (allows(node, 'object')) {
    const required = node.required ?? [];
    return orNull(node, {
      type: 'object',
      ...picked(node, ['additionalProperties']),
      ...(required.length === 0 ? {} : { required }),
      ...(node.properties === undefined ? { additionalProperties: true } : { properties: members(node) }),
    });
  }
  if (allows(node, 'array')) {
    const items = write(node.items ?? { opaque: true });
    return orNull(node, { type: 'array', ...picked(node, ['minItems', 'maxItems']), items });
  }
  if (node.money !== undefined) return decimalShape(node, node.money.decimalPlacesMax);
  if (allows(node, 'string') || node.const !== undefined) return text(node);
  return picked(node, ['type', 'minimum', 'maximum']);
}

function decimalShape(node: SchemaNode, places = DECIMAL_PLACES_MAX): JsonSchema {
  const limits = picked(node, ['minimum', 'maximum']);
  if (!allows(node, 'string')) return { ...picked(node, ['type']), ...limits };
  const text = { pattern: decimalPattern(places), maxLength: DECIMAL_LENGTH_MAX, ...picked(node, ['minLength']) };
  return {
    anyOf: [
      { type: 'number', ...limits },
      { type: 'string', ...text },
      ...(allows(node, 'null') ? [{ type: 'null' }] : []),
    ],
  };
}

/** Adds null to a shape if the node allows it. Generators know a list of types only for a scalar and null. */
function orNull(node: SchemaNode, shape: JsonSchema): JsonSchema {
  return allows(node, 'null') ? { anyOf: [shape, { type: 'null' }] } : shape;
}

/** Null is written where a component is used: some generators name the inner types of a component with null twice. */
function withoutNull(node: SchemaNode): SchemaNode {
  if (!Array.isArray(node.type)) return node;
  const types = node.type.filter((type) => type !== 'null');
  return { ...node, type: types.length === 1 ? types[0]! : types };
}

/** Each variant of a tagged object becomes a component, which the discriminator can refer to. */
function taggedShape(node: SchemaNode, write: WriteChild, components: Record<string, JsonSchema>): JsonSchema {
  const tag = node.discriminator!.propertyName;
  const mapping: Record<string, string> = {};
  const oneOf = node.oneOf!.map((variant) => {
    const value = variant.properties![tag]!.const!;
    const name = pascalCase(value.toLowerCase());
    components[name] ??= write(variant);
    mapping[value] = `#/components/schemas/${name}`;
    return { $ref: mapping[value] };
  });
  return { oneOf, discriminator: { propertyName: tag, mapping } };
}

function textShape(node: SchemaNode, isRequest: boolean): JsonSchema {
  const shape: JsonSchema = { type: node.type ?? 'string', ...picked(node, ['const', 'minLength', 'maxLength']) };
  // An empty string counts as absent unless it is rejected as blank.
  if (node.enum !== undefined) shape['enum'] = (node.minLength ?? 0) > 0 ? node.enum : [...node.enum, ''];
  if (node.format === 'decimal') {
    Object.assign(shape, { pattern: decimalPattern(DECIMAL_PLACES_MAX), maxLength: DECIMAL_LENGTH_MAX });
  } else if (PATTERNS.has(node.format ?? '')) shape['pattern'] = PATTERNS.get(node.format!);
  else if (node.format !== undefined && PUBLIC_FORMATS.has(node.format)) shape['format'] = node.format;
  else if (isRequest && node.enum === undefined && node.const === undefined) shape['pattern'] = NO_NULL_CHARACTER;
  return shape;
}

function noteOf(node: SchemaNode): string | undefined {
  if (node.money !== undefined) {
    return `A JSON number${allows(node, 'string') ? ' or a decimal as text' : ''}: at most ${DECIMAL_LENGTH_MAX} characters, 15 significant digits and ${node.money.decimalPlacesMax ?? DECIMAL_PLACES_MAX} decimal places, no exponent.`;
  }
  if (node.opaque === true) return 'Stored as sent.';
  if (node.format === undefined) return undefined;
  const end = node.openEnd === true ? ' 9999-12-31 counts as absent.' : '';
  return `${formDescriptions[node.format] ?? ''}${end}${(node.minLength ?? 0) === 0 ? ' An empty text counts as absent.' : ''}`;
}

function picked(node: SchemaNode, keys: readonly (keyof SchemaNode)[]): JsonSchema {
  return Object.fromEntries(keys.filter((key) => node[key] !== undefined).map((key) => [key, node[key]]));
}

/** `account_import_process` -> `AccountImportProcess`. */
export function pascalCase(words: string): string {
  return words
    .split(/[_\s-]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
