import type { OpenApiOperation, FieldRules } from '../platform/http/route-openapi.ts';
import type { SchemaNode } from '../platform/validation/schema-node.ts';
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
