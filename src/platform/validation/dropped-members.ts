import { isJsonObject } from '../../vocabulary/loose-payload.ts';
import { nearestName } from '../../vocabulary/nearest-name.ts';
import { ownMember } from '../../vocabulary/table.ts';
import { shownName, type Path } from '../../vocabulary/violations.ts';
import { warning, type Warning } from '../../vocabulary/warnings.ts';
import { letters } from './dropped-names.ts';
import { variantFor, type SchemaNode } from './schema-node.ts';

/** Members of so many kinds are told, of so many with the known name: looking for it costs time, and one hint mends a serialiser. */
const TOLD_MAX = 100;
const COMPARED_MAX = 20;
const NAME_LENGTH_MAX = 64;
/** A serialiser writes the same names each time. */
const KEPT_NAMES_MAX = 500;
const nearest = new WeakMap<SchemaNode, Map<string, string | undefined>>();

interface DroppedMember {
  path: Path;
  name: string;
  node: SchemaNode;
  places: number;
}

/**
 * Tells which members of a payload were dropped because its schema does not know them, each with the known name that it
 * may stand for. One that stands in many items of a list is told once, at its first place.
 * @param sent an object that the schema has found no fault with
 * @param unsaid names that are dropped at the top without a word
 */
export function findDroppedMembers(sent: unknown, schema: SchemaNode, unsaid: readonly string[] = []): Warning[] {
  const found = new Map<string, DroppedMember>();
  visit(sent, schema, { path: [], kind: '' }, found, unsaid);
  return [...found.values()].map((member, index) => tell(member, index < COMPARED_MAX));
}

function visit(
  value: unknown,
  node: SchemaNode,
  at: { path: Path; kind: string },
  found: Map<string, DroppedMember>,
  unsaid: readonly string[],
): void {
  if (Array.isArray(value)) {
    const { items } = node;
    if (items?.type !== 'object' && items?.oneOf === undefined) return;
    for (const [index, item] of value.entries()) {
      visit(item, items, { path: [...at.path, index], kind: `${at.kind}.*` }, found, unsaid);
    }
    return;
  }
  if (node.opaque === true || !isJsonObject(value)) return;
  const variant = variantFor(node, value);
  if (variant?.properties === undefined) return;
  for (const name in value) {
    const place = { path: [...at.path, name], kind: `${at.kind}.${name}` };
    const member = ownMember(variant.properties, name) as SchemaNode | undefined;
    if (member !== undefined) {
      if (typeof value[name] === 'object') visit(value[name], member, place, found, unsaid);
    } else if (at.path.length > 0 || !unsaid.includes(name)) {
      note(found, place.kind, { path: at.path, name, node: variant });
    }
  }
}

function note(found: Map<string, DroppedMember>, kind: string, member: Omit<DroppedMember, 'places'>): void {
  const known = found.get(kind);
  if (known !== undefined) known.places += 1;
  else if (found.size < TOLD_MAX) found.set(kind, { ...member, places: 1 });
}

function tell({ path, name, node, places }: DroppedMember, isCompared: boolean): Warning {
  const known = isCompared ? knownNameFor(name, node) : undefined;
  const sentences = [
    ...(known === undefined ? [] : [`Is ${JSON.stringify(known)} meant?`]),
    ...(places === 1 ? [] : [`It stands at ${places} places of this kind; this is the first.`]),
  ];
  return warning('unknown_member', [...path, shownName(name)], sentences.join(' '));
}

function knownNameFor(name: string, node: SchemaNode): string | undefined {
  if (name.length > NAME_LENGTH_MAX) return undefined;
  let names = nearest.get(node);
  if (names === undefined || names.size >= KEPT_NAMES_MAX) nearest.set(node, (names = new Map()));
  if (!names.has(name)) {
    const known = new Map(Object.keys(node.properties ?? {}).map((key) => [letters(key), key]));
    names.set(name, known.get(nearestName(letters(name), known.keys()) ?? ''));
  }
  return names.get(name);
}
