import { isJsonObject } from '../../vocabulary/loose-payload.ts';
import { shownName, violation, type Path, type Violation } from '../../vocabulary/violations.ts';
import { warning, type Warning } from '../../vocabulary/warnings.ts';
import { membersOfResults } from '../../vocabulary/import-jobs.ts';
import { memberNode, placeAt, variantFor, type Place, type SchemaNode } from './schema-node.ts';

// Unknown members of a payload: rejected in an operator's body, dropped with a warning in a supplier's body.

/** Limits on the work per payload. A serializer that misspells a name misspells it everywhere. */
const LISTED_MAX = 100;
const COMPARED_MAX = 20;
const NAME_LENGTH_MAX = 64;
const PART_LENGTH_MIN = 3;
/** A missing member is explained only by a similar name: less than a quarter of its characters may differ. */
const MISSING_SHARE = 4;
/** Cached names per schema node. Serializers send the same names every time. */
const KEPT_NAMES_MAX = 500;
const nearest = new WeakMap<SchemaNode, Map<string, string | undefined>>();

interface UnknownMember {
  path: Path;
  name: string;
  node: SchemaNode;
  occurrences: number;
}

/**
 * Finds unknown members in closed objects of a schema (`additionalProperties: false`). Does not enter lists.
 * @param sent the body as sent
 */
export function findUnknownMembers(sent: unknown, schema: SchemaNode, path: Path = []): Violation[] {
  if (schema.additionalProperties !== false || !isJsonObject(sent)) return [];
  return Object.entries(sent).flatMap(([name, value]) => {
    const node = memberNode(schema, name);
    if (node !== undefined) return findUnknownMembers(value, node, [...path, name]);
    const known = Object.keys(schema.properties ?? {});
    const fields = known.length === 0 ? 'No field is accepted here.' : `The allowed fields are ${known.join(', ')}.`;
    const detail = ['There is no such field.', ...hintFor(name, schema), fields].join(' ');
    return [violation('invalid', [...path, shownName(name)], detail)];
  });
}

/**
 * Finds top-level members that resemble a documented one. For an operation in which dropping a misspelled member would change the effect:
 * without `dry_run`, misspelled as `dryRun`, the account is created.
 */
export function findMisspelledMembers(sent: unknown, schema: SchemaNode): Violation[] {
  if (!isJsonObject(sent)) return [];
  return Object.keys(sent)
    .filter((name) => memberNode(schema, name) === undefined)
    .slice(0, COMPARED_MAX)
    .flatMap((name) => {
      const known = knownNameFor(name, schema) ?? partnerOf(name, schema);
      return known === undefined
        ? []
        : [violation('unknown_member', [shownName(name)], `There is no such field. ${didYouMean(known)}`)];
    });
}

/**
 * Finds unknown members of a valid payload that were dropped, with the known name that each resembles. A name in several items of a list is
 * reported once, for the first item. Members that import-job results add at the top level (`_errors`, ...) are dropped silently.
 * @param sent the payload as sent, without violations
 */
export function findDroppedMembers(sent: unknown, schema: SchemaNode): Warning[] {
  const found = new Map<string, UnknownMember>();
  visit(sent, schema, { path: [], kind: '' }, found);
  return [...found.values()].map(({ path, name, node, occurrences }, index) => {
    const more = [
      ...(index < COMPARED_MAX ? hintFor(name, node, JSON.stringify) : []),
      ...(occurrences === 1 ? [] : [`It occurs ${occurrences} times in such places; this is the first one.`]),
    ];
    return warning('unknown_member', [...path, shownName(name)], more.join(' '));
  });
}

function visit(
  value: unknown,
  node: SchemaNode,
  at: { path: Path; kind: string },
  found: Map<string, UnknownMember>,
): void {
  if (Array.isArray(value)) {
    const { items } = node;
    if (items?.type !== 'object' && items?.oneOf === undefined) return;
    for (const [index, item] of value.entries()) {
      visit(item, items, { path: [...at.path, index], kind: `${at.kind}.*` }, found);
    }
    return;
  }
  if (node.opaque === true || !isJsonObject(value)) return;
  const variant = variantFor(node, value);
  if (variant?.properties === undefined) return;
  for (const name in value) {
    const position = { path: [...at.path, name], kind: `${at.kind}.${name}` };
    const member = memberNode(variant, name);
    if (member !== undefined) {
      if (typeof value[name] === 'object') visit(value[name], member, position, found);
    } else if (at.path.length > 0 || !membersOfResults.includes(name)) {
      const known = found.get(position.kind);
      if (known !== undefined) known.occurrences += 1;
      else if (found.size < LISTED_MAX) {
        found.set(position.kind, { path: at.path, name, node: variant, occurrences: 1 });
      }
    }
  }
}

/** Adds to each missing required member the unknown member beside it that resembles it. */
export function explainMissingMembers(violations: Violation[], sent: unknown, schema: SchemaNode): void {
  for (const fault of violations.filter(({ code }) => code === 'required').slice(0, COMPARED_MAX)) {
    const path = fault.attr.split('.');
    const missing = letters(path.at(-1)!);
    const { value, node: declared } = path.slice(0, -1).reduce<Place>(placeAt, { value: sent, node: schema });
    const node = declared && isJsonObject(value) ? variantFor(declared, value) : undefined;
    if (node === undefined || !isJsonObject(value)) continue;
    const name = Object.keys(value)
      .slice(0, LISTED_MAX)
      .find((key) => memberNode(node, key) === undefined && nearestName(letters(key), [missing], MISSING_SHARE));
    if (name !== undefined) {
      fault.detail = `${fault.detail} Did you mean this field by ${JSON.stringify(shownName(name))}, which is not known and was dropped?`;
    }
  }
}

/** Names the known member that an unknown one resembles, if any. */
function hintFor(name: string, node: SchemaNode, written = (known: string) => known): string[] {
  const known = knownNameFor(name, node);
  return known === undefined ? [] : [didYouMean(written(known))];
}

function didYouMean(known: string): string {
  return `Did you mean ${known}?`;
}

/** Returns the known member that an unknown one resembles, in any naming style: `dryRun` is `dry_run`. */
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

/** Returns a known name that contains the unknown one or is contained in it: `dry` and `dryRunOnly` match `dry_run`. */
function partnerOf(name: string, node: SchemaNode): string | undefined {
  const sent = letters(name.slice(0, NAME_LENGTH_MAX));
  if (sent.length < PART_LENGTH_MIN) return undefined;
  return Object.keys(node.properties ?? {}).find((key) => letters(key).includes(sent) || sent.includes(letters(key)));
}

/** A name without the characters in which naming styles differ. */
function letters(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/**
 * Returns the known name that is most similar to a misspelled one.
 * @param sent limited in length by the caller
 * @param share less than one in `share` of the characters may differ
 */
export function nearestName(sent: string, known: Iterable<string>, share = 2): string | undefined {
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const name of known) {
    const steps = distance(sent.toLowerCase(), name.toLowerCase());
    if (steps < least && steps < name.length / share) [best, least] = [name, steps];
  }
  return best;
}

/** Levenshtein distance. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= one.length; at += 1) {
    const next = [at];
    for (let to = 1; to <= other.length; to += 1) {
      const changed = row[to - 1]! + (one[at - 1] === other[to - 1] ? 0 : 1);
      next.push(Math.min(changed, row[to]! + 1, next[to - 1]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}
