import type { OpenApiDocument } from '../../src/openapi/openapi-document.ts';

type Node = Record<string, any>;

/** A field of a request body that a schema documents. */
export interface DocumentedField {
  method: string;
  /** With the examples of the OpenAPI document as parameters. */
  path: string;
  /** As in `attr`, with the first item of each list; `2.` is the third variant in a list. */
  attr: string;
  schema: Node;
  /** Whether the schema requires the member in its object. */
  isRequired: boolean;
  /** The role that the operation requires. */
  role: 'supplier' | 'operator' | 'public';
  /** Returns a body with every documented member, and this value for the field. */
  bodyWith(value: unknown): unknown;
}

/**
 * Finds every field with a matching schema in every request body of the OpenAPI document; once per variant of a tagged
 * object.
 */
export function documentedFields(document: OpenApiDocument, isWanted: (schema: Node) => boolean): DocumentedField[] {
  const resolved = (node: Node | undefined): Node => {
    const reference = node?.['$ref'] as string | undefined;
    return reference === undefined
      ? (node ?? {})
      : resolved(
          reference
            .slice(2)
            .split('/')
            .reduce((value: any, key) => value[key], document),
        );
  };
  return Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods as Record<string, Node>).flatMap(([method, operation]) => {
      const schema = resolved(operation['requestBody'])['content']?.['application/json']?.['schema'] as
        | Node
        | undefined;
      if (schema === undefined) return [];
      const places: Place[] = [];
      const body = fullValue(schema, [], places, resolved);
      const parameters = ((operation['parameters'] ?? []) as Node[])
        .map(resolved)
        .filter((parameter) => parameter['in'] === 'path');
      const path = parameters.reduce(
        (written, { name, example, schema: form }) =>
          written.replace(`{${name}}`, encodeURIComponent(String(example ?? form?.example ?? 'SUPPLIER_FR'))),
        template,
      );
      const role =
        ((operation['x-roles'] ?? []) as string[])[0] ?? (template.includes('/operations/') ? 'operator' : 'supplier');
      return places
        .filter((place) => isWanted(place.schema))
        .map((place) => ({
          method: method.toUpperCase(),
          path,
          attr: place.segments.join('.'),
          schema: place.schema,
          isRequired: place.isRequired,
          role: role as DocumentedField['role'],
          bodyWith: (value: unknown) => withValue(structuredClone(body), place.segments, value),
        }));
    }),
  );
}

interface Place {
  segments: (string | number)[];
  schema: Node;
  isRequired: boolean;
}

/** Builds a value with every documented member, and one item per variant in each list; it may be invalid. */
function fullValue(
  schema: Node,
  segments: (string | number)[],
  places: Place[],
  resolved: (node: Node) => Node,
  isRequired = false,
): unknown {
  const node = merged(resolved(schema));
  places.push({ segments, schema: node, isRequired });
  const variants = node['oneOf'] as Node[] | undefined;
  if (variants !== undefined) return fullValue(variants[0]!, segments, places, resolved);
  const type = Array.isArray(node['type']) ? node['type'][0] : node['type'];
  if (node['const'] !== undefined) return node['const'];
  if (node['enum'] !== undefined) return node['enum'][0];
  if (type === 'object') {
    return Object.fromEntries(
      Object.entries((node['properties'] ?? {}) as Record<string, Node>).map(([key, member]) => [
        key,
        fullValue(member, [...segments, key], places, resolved, node['required']?.includes(key)),
      ]),
    );
  }
  if (type === 'array') {
    const items = resolved(node['items'] ?? {});
    return ((items['oneOf'] ?? [items]) as Node[]).map((variant, index) =>
      fullValue(variant, [...segments, index], places, resolved),
    );
  }
  return scalarOf(String(segments.at(-1)), node, type);
}

/** Writes a union of types, such as a number or a string, as one schema with a list of types. */
function merged(node: Node): Node {
  const variants = node['anyOf'] as Node[] | undefined;
  if (variants === undefined) return node;
  const { anyOf: _anyOf, ...rest } = node;
  return { ...rest, ...Object.assign({}, ...variants), type: variants.flatMap(({ type }) => type) };
}

function scalarOf(name: string, node: Node, type: string): unknown {
  if (type === 'integer') return node['minimum'] ?? 1;
  if (type === 'number') return 1;
  if (type === 'boolean') return true;
  if (name.startsWith('import_supplier')) return 'SUPPLIER_FR';
  if (node['format'] === 'date') return '2026-01-01';
  if (node['format'] === 'date-time') return '2026-01-01T00:00:00Z';
  return node['format'] === 'decimal' ? '1.5' : 'x';
}

function withValue(body: any, segments: (string | number)[], value: unknown): unknown {
  if (segments.length === 0) return value;
  let container = body;
  for (const segment of segments.slice(0, -1)) container = container[segment];
  container[segments.at(-1) as string] = value;
  return body;
}
