import type { OpenApiOperation, FieldRules } from '../platform/http/route-openapi.ts';
import { type SchemaNode, allows } from '../platform/validation/schema-node.ts';
import { describingSets, type DescribingPaths } from '../vocabulary/value-sets.ts';
import type { ViolationCode } from '../vocabulary/violations.ts';
import type { SchemaAnnotations } from './json-schema-writer.ts';

/**
 * Collects codes and descriptions of fields by schema node from the documentation of operations. A schema in several bodies, such as a
 * business contract, is one component with the codes of all of them.
 * @param names component names besides those derived from titles and operation ids
 */
export function gatherSchemaAnnotations(
  operations: readonly OpenApiOperation[],
  names: ReadonlyMap<object, string>,
): SchemaAnnotations {
  const codes = new Map<SchemaNode, Set<ViolationCode>>();
  const descriptions = new Map<SchemaNode, string>();
  const known = new Map<object, string>(names);
  for (const { openApi } of operations) {
    const root = openApi.request;
    if (root === undefined) continue;
    if (!known.has(root)) {
      known.set(root, `${openApi.operationId.charAt(0).toUpperCase()}${openApi.operationId.slice(1)}Request`);
    }
    addRules(root, openApi.rules ?? {}, codes, openApi.operationId);
    addDescribingSets(root, openApi.describingPaths ?? [], codes, descriptions);
  }
  return {
    nameOf: (node) => known.get(node) ?? (node as { title?: string }).title,
    ruleCodes: (node) => codes.get(node) ?? [],
    description: (node) => descriptions.get(node) ?? (node as { description?: string }).description,
  };
}

function addRules(
  root: SchemaNode,
  rules: FieldRules,
  codes: Map<SchemaNode, Set<ViolationCode>>,
  operationId: string,
): void {
  for (const [path, raised] of Object.entries(rules)) {
    const nodes = nodesAt(root, path);
    if (nodes.length === 0) {
      throw new Error(`the openApi of ${operationId} has rules for ${path}, which its schema does not know`);
    }
    for (const node of nodes) addAll(codes, node, raised);
  }
}

function addDescribingSets(
  root: SchemaNode,
  paths: DescribingPaths,
  codes: Map<SchemaNode, Set<ViolationCode>>,
  descriptions: Map<SchemaNode, string>,
): void {
  for (const [set, path] of paths) {
    for (const node of nodesAt(root, path)) {
      // An operator may close the set for a supplier.
      addAll(codes, node, ['invalid_choice']);
      descriptions.set(
        node,
        `Known values: ${Object.keys(describingSets[set]).join(', ')}; any other value is accepted unless the operators have closed the set.`,
      );
    }
  }
}

function addAll(codes: Map<SchemaNode, Set<ViolationCode>>, node: SchemaNode, raised: readonly ViolationCode[]): void {
  const known = codes.get(node) ?? new Set();
  codes.set(node, known);
  for (const code of raised) known.add(code);
}

/** The nodes at a path; several if variants of a tagged object have the same field. */
function nodesAt(root: SchemaNode, path: string): SchemaNode[] {
  let nodes = [root];
  for (const segment of path === '' ? [] : path.split('.')) {
    nodes = nodes.flatMap((node) => {
      if (segment === '*') return node.items === undefined ? [] : [node.items];
      return (node.oneOf ?? [node])
        .map((variant) => variant.properties?.[segment])
        .filter((member) => member !== undefined);
    });
  }
  return nodes;
}

/** Examples of members that mean the same in every response. A member with `examples` of its own shows those. */
const namedExamples: Readonly<Record<string, unknown>> = {
  import_supplier: 'SUPPLIER_FR',
  import_supplier_code: 'SUPPLIER_FR',
  external_account_number: 'HOME-00004711',
  external_business_identifier: 'BIZ-0042',
  service_account_number: 'A-7KQ2M9XDT',
  network_operator: 'enedis',
  reference: 'MD000123',
};

/**
 * The example of a schema, from `examples` of its members. Without one, a nullable member is null, a choice its first value, and an
 * optional member is omitted.
 * @param given replaces the examples of the members that it has
 */
export function exampleOf(node: SchemaNode, given?: unknown, name = ''): unknown {
  if (Array.isArray(given)) return given.map((item) => exampleOf(node.items ?? {}, item));
  const hasMembers = node.properties !== undefined && node.examples === undefined;
  if (given !== undefined && !(hasMembers && typeof given === 'object' && given !== null)) return given;
  if (node.examples !== undefined) return node.examples[0];
  if (Object.hasOwn(namedExamples, name)) return namedExamples[name];
  if (node.const !== undefined) return node.const;
  if (node.enum !== undefined && !allows(node, 'null')) return node.enum[0];
  if (node.properties !== undefined && !(allows(node, 'null') && given === undefined)) {
    return objectExample(node, (given ?? {}) as Record<string, unknown>);
  }
  if (allows(node, 'null')) return null;
  if (node.items !== undefined) return [exampleOf(node.items)];
  return node.format === 'date-time' ? '2026-11-20T17:00:00.000Z' : undefined;
}

function objectExample({ properties = {}, required = [] }: SchemaNode, given: Record<string, unknown>) {
  const members = Object.entries(properties)
    .filter(
      ([key, member]) =>
        required.includes(key) || member.examples !== undefined || key in given || Object.hasOwn(namedExamples, key),
    )
    .map(([key, member]) => [key, exampleOf(member, given[key], key)]);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined)) as Record<string, unknown>;
}
