import { isJsonObject } from '../../vocabulary/loose-payload.ts';
import { allows, variantFor, type SchemaNode } from './schema-node.ts';

/**
 * Omits documented members that are null although the schema does not allow null, because some serializers write null for missing values.
 * List items and opaque values are kept.
 * @returns the payload itself if nothing was omitted
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

/** Removes a discriminator that is null. */
function withoutNullTag(value: Readonly<Record<string, unknown>>, tag: string | undefined): unknown {
  if (tag === undefined || !Object.hasOwn(value, tag) || value[tag] !== null) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== tag));
}
