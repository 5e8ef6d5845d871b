import { allows, type SchemaNode } from '../platform/validation/schema-node.ts';

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
