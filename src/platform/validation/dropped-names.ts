import { isJsonObject } from '../../vocabulary/loose-payload.ts';
import { stepsBetween } from '../../vocabulary/nearest-name.ts';
import { ownMember } from '../../vocabulary/table.ts';
import { shownName, type Violation } from '../../vocabulary/violations.ts';
import { memberNode, variantFor, type SchemaNode } from './schema-node.ts';

/** So many missing members are explained, of so many names each: looking costs time, and one hint mends a serialiser. */
const EXPLAINED_MAX = 20;
const NAMES_COMPARED_MAX = 100;
const NAME_LENGTH_MAX = 64;
/** One letter in so many may differ. */
const LETTERS_PER_SLIP = 4;

/**
 * Adds to each required member that is missing the name of an undocumented one beside it that looks like it: the sender
 * misspelt it, or writes names in another style.
 */
export function explainMissingMembers(violations: Violation[], sent: unknown, schema: SchemaNode): void {
  let explained = 0;
  for (const violation of violations) {
    if (violation.code !== 'required') continue;
    explained += 1;
    if (explained > EXPLAINED_MAX) return;
    const name = findAlike(violation.attr.split('.'), sent, schema);
    if (name !== undefined) {
      violation.detail = `${violation.detail} The member ${JSON.stringify(shownName(name))} beside it is not known and was dropped; is that the one?`;
    }
  }
}

/** The undocumented member beside a missing one that looks like it most. */
function findAlike(path: readonly string[], sent: unknown, schema: SchemaNode): string | undefined {
  let node: SchemaNode | undefined = schema;
  let value = sent;
  for (const segment of path.slice(0, -1)) {
    if (Array.isArray(value)) {
      node = node?.items;
      value = value[Number(segment)];
    } else if (isJsonObject(value)) {
      node = memberNode(node === undefined ? undefined : variantFor(node, value), segment);
      value = ownMember(value, segment);
    }
  }
  if (!isJsonObject(value)) return undefined;
  const known = new Set(Object.keys((node === undefined ? undefined : variantFor(node, value))?.properties ?? {}));
  const missing = letters(path.at(-1)!);
  let closest: { name: string; slips: number } | undefined;
  for (const name of Object.keys(value).slice(0, NAMES_COMPARED_MAX)) {
    if (known.has(name) || name.length > NAME_LENGTH_MAX) continue;
    const slips = stepsBetween(letters(name), missing);
    if (slips <= missing.length / LETTERS_PER_SLIP && slips < (closest?.slips ?? Number.POSITIVE_INFINITY)) {
      closest = { name, slips };
    }
  }
  return closest?.name;
}

/** A name without what styles differ in: `externalAccountNumber` is `external_account_number`. */
export function letters(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
