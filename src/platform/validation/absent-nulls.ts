import { isJsonObject } from '../../vocabulary/loose-payload.ts';
import { allows, variantFor, type SchemaNode } from './schema-node.ts';

/**
 * Omits documented members that are null although the schema allows no null: some
 * serialisers write null for what they do not have. Items of lists and values inside opaque values stay.
 * @returns the payload itself where nothing is left out
 */
export function leaveOutNulls(value: unknown, node: SchemaNode): unknown {
  if (node.opaque === true) return value;
  if (Array.isArray(value)) {
    const items = node.items;
    if (items === undefined) return value;
    const copy = value.map((item) => leaveOutNulls(item, items));
    return copy.some((item, index) => item !== value[index]) ? copy : value;
  }
  if (!isJsonObject(value)) return value;
  const properties = variantFor(node, value)?.properties;
  if (properties === undefined) return withoutNullTag(value, node.discriminator?.propertyName);
  const changed = new Map<string, unknown>();
  for (const [key, member] of Object.entries(properties)) {
    if (!Object.hasOwn(value, key)) continue;
    const kept = value[key] === null && !allows(member, 'null') ? undefined : leaveOutNulls(value[key], member);
    if (kept !== value[key]) changed.set(key, kept);
  }
  if (changed.size === 0) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => {
      const kept = changed.has(key) ? changed.get(key) : member;
      return kept === undefined ? [] : [[key, kept]];
    }),
  );
}

/** An object whose kind is null is one without a kind. */
function withoutNullTag(value: Readonly<Record<string, unknown>>, tag: string | undefined): unknown {
  if (tag === undefined || !Object.hasOwn(value, tag) || value[tag] !== null) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== tag));
}
