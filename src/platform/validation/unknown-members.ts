import { isJsonObject } from '../../vocabulary/loose-payload.ts';
import { nearestName } from '../../vocabulary/nearest-name.ts';
import { shownName, violation, type Path, type Violation } from '../../vocabulary/violations.ts';
import { memberNode, type SchemaNode } from './schema-node.ts';

/**
 * Refuses members that the closed objects of a schema (`additionalProperties: false`) do not have: a misspelt setting that is
 * dropped would leave the sender believing that it is in force. It looks into closed objects alone, and not into lists; a schema
 * that is not closed costs nothing.
 * @param sent the body as it was sent, whatever it is
 */
export function findUnknownMembers(sent: unknown, schema: SchemaNode, path: Path = []): Violation[] {
  if (schema.additionalProperties !== false || !isJsonObject(sent)) return [];
  const known = Object.keys(schema.properties ?? {});
  return Object.entries(sent).flatMap(([name, value]) => {
    const node = memberNode(schema, name);
    return node === undefined
      ? [unknownMember(shownName(name), known, path)]
      : findUnknownMembers(value, node, [...path, name]);
  });
}

function unknownMember(name: string, known: readonly string[], path: Path): Violation {
  const nearest = nearestName(name, known);
  const meant = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return violation(
    'invalid',
    [...path, name],
    `There is no such field.${meant} The fields here are ${known.join(', ')}.`,
  );
}
