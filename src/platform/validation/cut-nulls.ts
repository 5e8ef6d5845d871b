import { allows, type SchemaNode } from './schema-node.ts';

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
