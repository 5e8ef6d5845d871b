import { NON_FIELD_ERRORS, type Violation } from '../../vocabulary/violations.ts';
import { isJsonObject } from '../../vocabulary/loose-payload.ts';
import { placeAt, variantFor, type Place, type SchemaNode } from './schema-node.ts';

interface Placed {
  violation: Violation;
  position: number[];
}

/**
 * Sorts violations by position in the payload as sent: members in the order of their keys, then missing members in the order of the schema;
 * a violation of an object precedes those of its members.
 */
export function inPayloadOrder(violations: readonly Violation[], sent: unknown, schema: SchemaNode): Violation[] {
  if (violations.length < 2) return [...violations];
  const ranks: Ranks = new Map();
  const placed = violations.map((violation): Placed => ({
    violation,
    position: positionOf(violation.attr, sent, schema, ranks),
  }));
  placed.sort((one, other) => comparePositions(one.position, other.position));
  return placed.map(({ violation }) => violation);
}

/** Rank of each key by object; cached, so that an object with many violations is ranked once. */
type Ranks = Map<object, Map<string, number>>;

/** Position of a path: one number per level. */
function positionOf(attr: string, sent: unknown, schema: SchemaNode, ranks: Ranks): number[] {
  const position: number[] = [];
  let place: Place = { value: sent, node: schema };
  for (const segment of attr.split('.')) {
    const { value, node } = place;
    if (Array.isArray(value)) position.push(Number(segment));
    else if (isJsonObject(value)) position.push(rankOf(segment, value, node && variantFor(node, value), ranks));
    else position.push(segment === NON_FIELD_ERRORS ? -1 : 0);
    place = placeAt(place, segment);
  }
  return position;
}

/** Rank of a member: sent members first, then those of the schema. */
function rankOf(segment: string, value: object, node: SchemaNode | undefined, ranks: Ranks): number {
  if (segment === NON_FIELD_ERRORS) return -1;
  let ofKeys = ranks.get(value);
  if (ofKeys === undefined) {
    ofKeys = new Map();
    for (const key of Object.keys(value)) ofKeys.set(key, ofKeys.size);
    for (const key of Object.keys(node?.properties ?? {})) if (!ofKeys.has(key)) ofKeys.set(key, ofKeys.size);
    ranks.set(value, ofKeys);
  }
  return ofKeys.get(segment) ?? ofKeys.size;
}

/** Compares two positions; the outer one comes first. */
function comparePositions(one: readonly number[], other: readonly number[]): number {
  const shared = Math.min(one.length, other.length);
  for (let level = 0; level < shared; level += 1) {
    if (one[level] !== other[level]) return one[level]! - other[level]!;
  }
  return one.length - other.length;
}
